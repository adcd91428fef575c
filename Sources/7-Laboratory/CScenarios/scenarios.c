// The scenarios of the folder Scenarios. The compiler copies the files into the object; a test compares the names and
// the texts with the folder.
#include "scenarios.h"

#include <stddef.h>
#include <string.h>

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

/// The names, each with the seconds that it takes.
static const struct { const char *name; int32_t seconds; } entries[] = {
    {"binding", 9},
    {"call-answered-on-accessory", 6},
    {"call-answered", 5},
    {"call-declined-on-accessory", 4},
    {"call-declined", 5},
    {"call-missed", 5},
    {"call-waiting", 7},
    {"clock", 33},
    {"conformance", 50},
    {"consent-late", 7},
    {"decades-of-uids", 5},
    {"demo", 10},
    {"first-pairing", 3},
    {"flood", 9},
    {"long-message-small-mtu", 3},
    {"mail-body-later", 3},
    {"media-conformance", 85},
    {"reconnect", 5},
    {"service-vanishes", 5},
    {"text", 3},
    {"faults/category-12", 2},
    {"faults/duplicated-answer", 2},
    {"faults/ellipsis", 2},
    {"faults/empty-date", 2},
    {"faults/errors", 3},
    {"faults/fragments", 4},
    {"faults/hard-cut", 3},
    {"faults/header-only-app", 2},
    {"faults/joined-answers", 13},
    {"faults/keys-forgotten", 6},
    {"faults/late-answer", 14},
    {"faults/link-loss", 4},
    {"faults/lost-answer", 12},
    {"faults/no-consent", 5},
    {"faults/other-order", 5},
    {"faults/phone-stops-answering", 34},
    {"faults/pre-existing-none", 4},
    {"faults/pre-existing-some", 4},
    {"faults/pre-existing-unflagged", 3},
    {"faults/reserved-flag", 2},
    {"faults/service-gone-silently", 5},
    {"faults/service-gone", 6},
    {"faults/subscriptions-dropped", 6},
    {"faults/uids-restart", 4},
    {"media/burst", 7},
    {"media/cut-characters", 10},
    {"media/decimal-comma", 8},
    {"media/in-parts", 13},
    {"media/keys", 20},
    {"media/link-loss", 8},
    {"media/no-player", 11},
    {"media/now-playing", 6},
    {"media/old-commands", 12},
    {"media/returns", 6},
    {"media/vanishes", 7},
    {"trouble/actions-refused", 11},
    {"trouble/answer-lost-twice", 33},
    {"trouble/consent-late-and-withdrawn", 13},
    {"trouble/data-source-dropped", 39},
    {"trouble/flood-of-500", 53},
    {"trouble/link-fades", 27},
    {"trouble/link-lost-with-others-waiting", 5},
    {"trouble/names-never-told", 4},
    {"trouble/notification-source-dropped", 21609},
    {"trouble/phone-deaf", 123},
    {"trouble/phone-restarts", 5},
    {"trouble/phone-wedged", 156},
    {"trouble/seen-new-and-gone", 7},
    {"trouble/service-hidden", 903},
    {"trouble/service-moved", 907},
    {"trouble/stalls-and-strays", 34},
    {"trouble/text-and-dates", 4},
    {"trouble/two-accessories", 32},
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

static const int32_t count = sizeof entries / sizeof entries[0];

int32_t cscenarios_count(void) { return count; }

const char *cscenarios_name(int32_t index) { return index >= 0 && index < count ? entries[index].name : NULL; }

int32_t cscenarios_seconds(int32_t index) { return index >= 0 && index < count ? entries[index].seconds : -1; }

const char *cscenarios_text(int32_t index) {
    if (index < 0 || index >= count) return NULL;
    const char *text = texts;
    while (index-- > 0) text += strlen(text) + 1;
    return text;
}
