// The scenarios of the folder Scenarios. The compiler copies the files into the object; a test compares the names and
// the texts with the folder.
#include "scenarios.h"

#include <stddef.h>
#include <string.h>

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char *const names[] = {
    "binding",
    "call-answered-on-accessory",
    "call-answered",
    "call-declined-on-accessory",
    "call-declined",
    "call-missed",
    "call-waiting",
    "clock",
    "conformance",
    "consent-late",
    "decades-of-uids",
    "demo",
    "first-pairing",
    "flood",
    "long-message-small-mtu",
    "mail-body-later",
    "reconnect",
    "service-vanishes",
    "text",
    "faults/category-12",
    "faults/duplicated-answer",
    "faults/ellipsis",
    "faults/empty-date",
    "faults/errors",
    "faults/fragments",
    "faults/hard-cut",
    "faults/header-only-app",
    "faults/joined-answers",
    "faults/keys-forgotten",
    "faults/late-answer",
    "faults/link-loss",
    "faults/lost-answer",
    "faults/no-consent",
    "faults/other-order",
    "faults/phone-stops-answering",
    "faults/pre-existing-none",
    "faults/pre-existing-some",
    "faults/pre-existing-unflagged",
    "faults/reserved-flag",
    "faults/service-gone-silently",
    "faults/service-gone",
    "faults/subscriptions-dropped",
    "faults/uids-restart",
    "trouble/actions-refused",
    "trouble/answer-lost-twice",
    "trouble/consent-late-and-withdrawn",
    "trouble/data-source-dropped",
    "trouble/flood-of-500",
    "trouble/link-fades",
    "trouble/link-lost-with-others-waiting",
    "trouble/names-never-told",
    "trouble/notification-source-dropped",
    "trouble/phone-deaf",
    "trouble/phone-restarts",
    "trouble/phone-wedged",
    "trouble/seen-new-and-gone",
    "trouble/service-hidden",
    "trouble/service-moved",
    "trouble/stalls-and-strays",
    "trouble/text-and-dates",
    "trouble/two-accessories",
};

/// In the order of the names, each followed by an octet 0.
static const char texts[] = {
#embed "../../../Scenarios/binding.json" suffix(, 0, )
#embed "../../../Scenarios/call-answered-on-accessory.json" suffix(, 0, )
#embed "../../../Scenarios/call-answered.json" suffix(, 0, )
#embed "../../../Scenarios/call-declined-on-accessory.json" suffix(, 0, )
#embed "../../../Scenarios/call-declined.json" suffix(, 0, )
#embed "../../../Scenarios/call-missed.json" suffix(, 0, )
#embed "../../../Scenarios/call-waiting.json" suffix(, 0, )
#embed "../../../Scenarios/clock.json" suffix(, 0, )
#embed "../../../Scenarios/conformance.json" suffix(, 0, )
#embed "../../../Scenarios/consent-late.json" suffix(, 0, )
#embed "../../../Scenarios/decades-of-uids.json" suffix(, 0, )
#embed "../../../Scenarios/demo.json" suffix(, 0, )
#embed "../../../Scenarios/first-pairing.json" suffix(, 0, )
#embed "../../../Scenarios/flood.json" suffix(, 0, )
#embed "../../../Scenarios/long-message-small-mtu.json" suffix(, 0, )
#embed "../../../Scenarios/mail-body-later.json" suffix(, 0, )
#embed "../../../Scenarios/reconnect.json" suffix(, 0, )
#embed "../../../Scenarios/service-vanishes.json" suffix(, 0, )
#embed "../../../Scenarios/text.json" suffix(, 0, )
#embed "../../../Scenarios/faults/category-12.json" suffix(, 0, )
#embed "../../../Scenarios/faults/duplicated-answer.json" suffix(, 0, )
#embed "../../../Scenarios/faults/ellipsis.json" suffix(, 0, )
#embed "../../../Scenarios/faults/empty-date.json" suffix(, 0, )
#embed "../../../Scenarios/faults/errors.json" suffix(, 0, )
#embed "../../../Scenarios/faults/fragments.json" suffix(, 0, )
#embed "../../../Scenarios/faults/hard-cut.json" suffix(, 0, )
#embed "../../../Scenarios/faults/header-only-app.json" suffix(, 0, )
#embed "../../../Scenarios/faults/joined-answers.json" suffix(, 0, )
#embed "../../../Scenarios/faults/keys-forgotten.json" suffix(, 0, )
#embed "../../../Scenarios/faults/late-answer.json" suffix(, 0, )
#embed "../../../Scenarios/faults/link-loss.json" suffix(, 0, )
#embed "../../../Scenarios/faults/lost-answer.json" suffix(, 0, )
#embed "../../../Scenarios/faults/no-consent.json" suffix(, 0, )
#embed "../../../Scenarios/faults/other-order.json" suffix(, 0, )
#embed "../../../Scenarios/faults/phone-stops-answering.json" suffix(, 0, )
#embed "../../../Scenarios/faults/pre-existing-none.json" suffix(, 0, )
#embed "../../../Scenarios/faults/pre-existing-some.json" suffix(, 0, )
#embed "../../../Scenarios/faults/pre-existing-unflagged.json" suffix(, 0, )
#embed "../../../Scenarios/faults/reserved-flag.json" suffix(, 0, )
#embed "../../../Scenarios/faults/service-gone-silently.json" suffix(, 0, )
#embed "../../../Scenarios/faults/service-gone.json" suffix(, 0, )
#embed "../../../Scenarios/faults/subscriptions-dropped.json" suffix(, 0, )
#embed "../../../Scenarios/faults/uids-restart.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/actions-refused.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/answer-lost-twice.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/consent-late-and-withdrawn.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/data-source-dropped.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/flood-of-500.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/link-fades.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/link-lost-with-others-waiting.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/names-never-told.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/notification-source-dropped.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/phone-deaf.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/phone-restarts.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/phone-wedged.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/seen-new-and-gone.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/service-hidden.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/service-moved.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/stalls-and-strays.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/text-and-dates.json" suffix(, 0, )
#embed "../../../Scenarios/trouble/two-accessories.json" suffix(, 0, )
};

static const int32_t count = sizeof names / sizeof names[0];

int32_t cscenarios_count(void) { return count; }

const char *cscenarios_name(int32_t index) { return index >= 0 && index < count ? names[index] : NULL; }

const char *cscenarios_text(int32_t index) {
    if (index < 0 || index >= count) return NULL;
    const char *text = texts;
    while (index-- > 0) text += strlen(text) + 1;
    return text;
}
