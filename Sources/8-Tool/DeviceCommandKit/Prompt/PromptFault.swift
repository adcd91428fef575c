internal import Printing

/// A line of a prompt that is wrong, or a command that cannot be carried out, with the reason in one sentence.
package struct PromptFault: Error, Equatable {
    package var message: String

    package init(message: String) { self.message = message }

    /// The word is no command; `advice` is for one that resembles none.
    package init(unknown word: String, in commands: [String], otherwise advice: String) {
        let meant = NearestWord.of(word, in: commands).map { "did you mean '\($0)'?" }
        message = "'\(word)' is not a command; " + (meant ?? advice)
    }
}
