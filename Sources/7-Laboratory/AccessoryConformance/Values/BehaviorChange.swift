package import ANCS
package import ANCSKit
package import ANCSProvider

/// A scenario's changes to the phone's ``ProviderBehavior``; `nil` leaves a property unchanged.
package struct BehaviorChange: Equatable, Sendable {
    var isHiddenUntilEncrypted: Bool?
    var link: ProviderBehavior.LinkNumbers?
    var maximumMTU: Int?
    var truncation: ProviderBehavior.Truncation?
    var messageSizeUnit: ProviderBehavior.MessageSizeUnit?
    var dates: ProviderBehavior.Dates?
    var attributeOrder: ProviderBehavior.AttributeOrder?
    var reservedAttribute: ProviderBehavior.ReservedAttribute?
    var unknownApp: ProviderBehavior.UnknownApp?
    var fragmentSizes: FragmentSizes?
    var joinsAnswers: Bool?
    var responsiveness: ProviderBehavior.Responsiveness?
    var absentAction: ControlPointError?
    var hasReservedFlag: Bool?
    /// `.some(nil)` lets notifications have their own category again.
    var categoryOverride: CategoryID??
    var announcedExisting: ProviderBehavior.ExistingNotifications?
    var hasPreExistingFlag: Bool?
    var announcesWithoutConsent: Bool?
    package var firstUID: NotificationUID?
    var restartsUIDs: Bool?
    package var mediaQuirks: MediaQuirks?
    /// The words of the file, for reports.
    package var text = "nothing"

    /// Applies the changes.
    package func apply(to behavior: inout ProviderBehavior) {
        isHiddenUntilEncrypted.map { behavior.hidesServiceUntilEncrypted = $0 }
        link.map { behavior.link = $0 }
        maximumMTU.map { behavior.maximumMTU = $0 }
        truncation.map { behavior.truncation = $0 }
        messageSizeUnit.map { behavior.messageSizeUnit = $0 }
        dates.map { behavior.dates = $0 }
        attributeOrder.map { behavior.attributeOrder = $0 }
        reservedAttribute.map { behavior.reservedAttribute = $0 }
        unknownApp.map { behavior.unknownApp = $0 }
        fragmentSizes.map { behavior.fragmentSizes = $0 }
        joinsAnswers.map { behavior.joinsAnswers = $0 }
        responsiveness.map { behavior.responsiveness = $0 }
        absentAction.map { behavior.absentAction = $0 }
        hasReservedFlag.map { behavior.additionalFlags = $0 ? .observedBit5 : [] }
        categoryOverride.map { behavior.categoryOverride = $0 }
        announcedExisting.map { behavior.announcedExisting = $0 }
        hasPreExistingFlag.map { behavior.existingFlags = $0 ? .preExisting : [] }
        announcesWithoutConsent.map { behavior.announcesWithoutConsent = $0 }
        firstUID.map { behavior.firstUID = $0 }
        restartsUIDs.map { behavior.restartsUIDs = $0 }
    }
}
