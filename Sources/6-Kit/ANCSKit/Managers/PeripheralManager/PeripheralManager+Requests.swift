public import BluetoothLE
// Reads and writes of values that the app serves.
extension PeripheralManager {
    /// Answers a request: a read with its ``ATTRequest/value`` and `success`, a write with `success`, or
    /// either with an error. Of the requests in one `didReceiveWrite`, answer one, for all of them; an error
    /// refers to the attribute of that one. Ignored for a central that has disconnected, for a second answer,
    /// and for a write without response. (`respond(to:withResult:)`)
    ///
    /// A central waits 30 s for a response, then it ends the link (Core Vol 3, Part F, 3.3.3).
    public func respond(to request: ATTRequest, withResult result: ATTErrorCode) {
        guard let question = questions.removeValue(forKey: request.question) else { return }
        let value = (request.value ?? []).prefix(AttributeTable.maximumValueLength)
        let answer: Result<[UInt8], ATTErrorCode> =
            result == .success ? .success(question.isRead ? Array(value) : []) : .failure(result)
        let attribute = characteristics.first { $0.value === request.characteristic }?.key
        system?.respond(
            to: question.token, with: answer, refusing: attribute, of: question.central.peer)
    }

    func readRequested(
        by peer: PeerKey, _ token: ATTBearer.RequestToken, _ attribute: AttributeHandle
    ) {
        guard let characteristic = characteristics[attribute], let central = central(peer) else {
            system?.respond(to: token, with: .failure(.unlikelyError), of: peer)
            return
        }
        let question = ask(Question(central: central, token: token, isRead: true))
        let request = ATTRequest(central, characteristic, question: question)
        if !report(.didReceiveRead(request)) {
            respond(to: request, withResult: .insufficientResources)
        }
    }

    /// A write without a token needs no response.
    func writeRequested(
        by peer: PeerKey, _ token: ATTBearer.RequestToken?, _ writes: [AttributeWrite]
    ) {
        guard let central = central(peer) else { return }
        let question =
            token.map { ask(Question(central: central, token: $0, isRead: false)) }
            ?? nextQuestion()
        let requests = writes.compactMap { write in
            characteristics[write.handle].map {
                ATTRequest(
                    central, $0, offset: write.offset, value: write.value,
                    question: question)
            }
        }
        guard let first = requests.first, requests.count == writes.count else {
            questions[question] = nil
            if let token { system?.respond(to: token, with: .failure(.unlikelyError), of: peer) }
            return
        }
        if !report(.didReceiveWrite(requests)) {
            respond(to: first, withResult: .insufficientResources)
        }
    }

    private func ask(_ question: Question) -> UInt64 {
        let name = nextQuestion()
        questions[name] = question
        return name
    }

    private func nextQuestion() -> UInt64 {
        lastQuestion += 1
        return lastQuestion
    }
}
