/// A line of a prompt that is wrong, or a command that cannot be carried out, with the reason in one sentence.
package struct PromptFault: Error, Equatable {
    package var message: String

    package init(message: String) { self.message = message }
}
