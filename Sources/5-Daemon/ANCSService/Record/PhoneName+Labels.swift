extension [PhoneName] {
    /// What texts call these phones, by their digests: nothing where there is one phone, otherwise its name, with the
    /// beginning of its digest if another one has that too.
    package var labels: [String: String] {
        let names = Dictionary(map { ($0.digest, $0.name ?? "phone") }) { $1 }
        return names.reduce(into: [:]) { labels, phone in
            let isUnique = names.values.count { $0 == phone.value } == 1
            let name = isUnique ? phone.value : "\(phone.value) (\(phone.key.prefix(4)))"
            labels[phone.key] = names.count > 1 ? name : ""
        }
    }
}
