/// A line of a prompt that is wrong, or a command that cannot be carried out, with the reason in one sentence.
struct PromptFault: Error, Hashable {
    var message: String
}
