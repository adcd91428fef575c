// The scenarios of the folder Scenarios. The compiler copies the files into the object; a test compares the list and
// the texts with the folder.
#include "scenarios.h"

#include <stddef.h>
#include <string.h>

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char list[] = {
#embed "scenarios.txt" suffix(, 0)
};

/// In the order of the list, each followed by an octet 0.
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
#embed "../../../Scenarios/media-conformance.json" suffix(, 0, )
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
#embed "../../../Scenarios/media/burst.json" suffix(, 0, )
#embed "../../../Scenarios/media/cut-characters.json" suffix(, 0, )
#embed "../../../Scenarios/media/decimal-comma.json" suffix(, 0, )
#embed "../../../Scenarios/media/in-parts.json" suffix(, 0, )
#embed "../../../Scenarios/media/keys.json" suffix(, 0, )
#embed "../../../Scenarios/media/link-loss.json" suffix(, 0, )
#embed "../../../Scenarios/media/no-player.json" suffix(, 0, )
#embed "../../../Scenarios/media/now-playing.json" suffix(, 0, )
#embed "../../../Scenarios/media/old-commands.json" suffix(, 0, )
#embed "../../../Scenarios/media/returns.json" suffix(, 0, )
#embed "../../../Scenarios/media/vanishes.json" suffix(, 0, )
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

const char *cscenarios_list(void) { return list; }

const char *cscenarios_text(int32_t index) {
    if (index < 0) return NULL;
    const char *text = texts;
    while (index-- > 0 && text < texts + sizeof texts) text += strlen(text) + 1;
    return text < texts + sizeof texts ? text : NULL;
}
