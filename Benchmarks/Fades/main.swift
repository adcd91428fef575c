// Measures, in virtual time, an hour of a phone and an accessory on a bad radio: which share of it the accessory is
// subscribed, and how many links are lost. An iPhone connects with a supervision timeout of 720 ms; an accessory
// can ask for 6 s.
internal import Glibc
internal import VirtualBluetooth

/// The conditions of one line.
let conditions: [(name: String, loss: Double, fades: RadioFades?)] = [
    ("loss 0.5", 0.5, nil),
    ("loss 0.7", 0.7, nil),
    ("fades", 0, RadioFades(length: .milliseconds(900), period: .seconds(30))),
]

do {
    print("radio\ttimeout, s\tsubscribed, %\tlinks\tlost")
    for (name, loss, fades) in conditions {
        for timeout in [Duration.milliseconds(720), .seconds(6)] {
            let figures = try await FadeFigures.measure(loss: loss, fades: fades, timeout: timeout)
            let share = (figures.subscribed / FadeFigures.length * 1000).rounded() / 10
            print(name, timeout / .seconds(1), share, figures.links, figures.lost, separator: "\t")
        }
    }
} catch {
    print("fade-benchmark: \(error)")
    exit(1)
}
