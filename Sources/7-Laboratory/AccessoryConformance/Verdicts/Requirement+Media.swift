extension Requirement {
    /// What is said of one of the Apple Media Service.
    var mediaRow: RequirementRow {
        switch self {
        case .followsMedia:
            .init(
                "M1", .ams, .severe, "comes back when AMS does",
                demand:
                    "AMS is not always present: an accessory subscribes and registers again when it returns.",
                symptom:
                    "what is playing stays as it was until the accessory is switched off and on",
                remedy:
                    "When Service Changed covers the handles of AMS, discover it again, subscribe "
                    + "and register.")
        case .usesMediaInParts:
            .init(
                "M1", .ams, .moderate, "goes on without a characteristic of AMS that is missing",
                demand: "A phone may have any subset of the three characteristics.",
                symptom: "nothing of the media is shown with some phones",
                remedy:
                    "Use each characteristic that is there, and do without the others and without "
                    + "what cannot be subscribed to.")
        case .goesOnAfterMediaVanished:
            .init(
                "M1", .ams, .severe, "goes on when AMS vanishes during a read",
                demand: "AMS may go at any time, also between the parts of a long read.",
                symptom: "the accessory hangs or restarts when an app on the phone ends",
                remedy: "Take any error of a read as its end.")
        case .replacesCommands:
            .init(
                "M2", .ams, .moderate, "takes the list of commands as replacing the one before",
                demand: "Each list of supported commands is the whole one.",
                symptom: "keys are offered that do nothing",
                remedy: "Forget the list before when a new one arrives.")
        case .goesOnWithOldCommands:
            .init(
                "M2", .ams, .moderate, "goes on when a command that was offered is refused",
                demand: "Phones have been seen not to send the list again when the player changed "
                    + "(openradar 21938452).",
                symptom: "after another player has started, a key stops everything",
                remedy: "Say that the command was refused, and go on.")
        case .registersAfterSubscribing:
            .init(
                "M3", .ams, .severe,
                "registers for attributes after it has subscribed to Entity Update",
                demand: "A registration without the subscription is refused with 0xA0.",
                symptom: "nothing of the media is shown",
                remedy:
                    "Enable the notifications of Entity Update, and write to it when that was confirmed."
            )
        case .survivesMediaBurst:
            .init(
                "M3", .ams, .severe, "survives a burst of values after a registration",
                demand: "All present values are sent at once, and again as they change.",
                symptom: "the accessory hangs or restarts when music begins",
                remedy: "Keep one value of each attribute, and take each as it comes.")
        case .readsTruncatedValues:
            .init(
                "M4", .ams, .slight, "reads truncated values whole",
                demand:
                    "Bit 0 of the flags says that a value was truncated; the whole one is in Entity "
                    + "Attribute.",
                symptom: "long titles end in the middle",
                remedy:
                    "When the flag is set, write the attribute to Entity Attribute, and read it with "
                    + "long reads.")
        case .survivesCutCharacters:
            .init(
                "M4", .ams, .moderate, "survives a value that ends within a character",
                demand:
                    "A value is truncated to what fits, which may be in the middle of a character.",
                symptom: "a title is missing, or the accessory restarts",
                remedy: "Drop the octets of a character that is not whole.")
        case .readsOneValueAtATime:
            .init(
                "M5", .ams, .moderate, "reads one truncated value at a time",
                demand: "What is read is the attribute that was written last.",
                symptom: "the name of the artist is shown as the title",
                remedy: "Write an attribute, read it to its end, and only then write the next one.")
        case .sendsKnownMediaCommands:
            .init(
                "M7", .ams, .moderate, "sends no reserved command to the player",
                demand: "The commands are 0 to 13.",
                symptom: "a key does nothing",
                remedy: "Send only the commands 0 to 13.")
        case .asksForKnownMedia:
            .init(
                "M8", .ams, .moderate, "asks for no reserved entity or attribute of the media",
                demand: "The entities are 0 to 2, each with the attributes 0 to 3.",
                symptom: "nothing of the media is shown",
                remedy: "Register for and read only the attributes that AMS has.")
        case .asksForLessMedia:
            .init(
                "M9", .ams, .slight, "asks for less after a registration that lost the link",
                demand:
                    "A registration for the player's name has crashed the server of phones again and "
                    + "again (openradar 21283910).",
                symptom: "the accessory loses its link again and again",
                remedy:
                    "If the link is lost right after a registration, leave the name out the next time."
            )
        case .survivesDecimalComma:
            .init(
                "M9", .ams, .severe, "survives numbers with a decimal comma",
                demand:
                    "Imitations of AMS write numbers with a comma, so that PlaybackInfo has more "
                    + "fields than three.",
                symptom: "the accessory restarts again and again with some phones",
                remedy:
                    "Take what is certain: the number before the first comma is the state. Show no "
                    + "position then.")
        case .survivesOddMedia:
            .init(
                "M12", .ams, .moderate, "survives values that jump, stay away or come alone",
                demand:
                    "A title may change without PlaybackInfo, the volume may be missing, and the "
                    + "position may jump.",
                symptom: "the accessory hangs or restarts while music plays",
                remedy: "Take each value for itself.")
        case .computesPosition:
            .init(
                "M12", .ams, .slight,
                "computes the position, and does not ask for it again and again",
                demand:
                    "While a track plays, the position is the elapsed time plus the time since, "
                    + "times the rate.",
                symptom: "the battery of the accessory is empty sooner",
                remedy:
                    "Register for PlaybackInfo once, and compute the position from what arrived last."
            )
        case .sendsWholeMediaWrites:
            .init(
                "M13", .ams, .moderate, "writes complete values to AMS",
                demand:
                    "A command has one octet, a registration at least two, an attribute to read exactly two.",
                symptom: "a key does nothing, or a value is missing",
                remedy:
                    "Write the command; the entity and its attributes; or the entity and one attribute."
            )
        case .sendsSupportedCommands:
            .init(
                "M14", .ams, .moderate, "sends only commands that the player supports",
                demand: "An accessory sends only what the last list of Remote Command has.",
                symptom: "a key does nothing",
                remedy: "Look at the last list of supported commands before sending one.")
        default: preconditionFailure("not about the Apple Media Service")
        }
    }
}
