// The scenarios of the folder Scenarios, each followed by an octet 0. The compiler copies the files into the object;
// a test compares this list with the folder.
#include "scenarios.h"

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

struct scenario {
    const char *name;
    const char *text;
};

static const struct scenario scenarios[] = {
    {"binding",
     (const char[]){
#embed "../../Scenarios/binding.json" suffix(, 0)
     }},
    {"call-answered-on-accessory",
     (const char[]){
#embed "../../Scenarios/call-answered-on-accessory.json" suffix(, 0)
     }},
    {"call-answered",
     (const char[]){
#embed "../../Scenarios/call-answered.json" suffix(, 0)
     }},
    {"call-declined-on-accessory",
     (const char[]){
#embed "../../Scenarios/call-declined-on-accessory.json" suffix(, 0)
     }},
    {"call-declined",
     (const char[]){
#embed "../../Scenarios/call-declined.json" suffix(, 0)
     }},
    {"call-missed",
     (const char[]){
#embed "../../Scenarios/call-missed.json" suffix(, 0)
     }},
    {"call-waiting",
     (const char[]){
#embed "../../Scenarios/call-waiting.json" suffix(, 0)
     }},
    {"clock",
     (const char[]){
#embed "../../Scenarios/clock.json" suffix(, 0)
     }},
    {"conformance",
     (const char[]){
#embed "../../Scenarios/conformance.json" suffix(, 0)
     }},
    {"consent-late",
     (const char[]){
#embed "../../Scenarios/consent-late.json" suffix(, 0)
     }},
    {"decades-of-uids",
     (const char[]){
#embed "../../Scenarios/decades-of-uids.json" suffix(, 0)
     }},
    {"demo",
     (const char[]){
#embed "../../Scenarios/demo.json" suffix(, 0)
     }},
    {"first-pairing",
     (const char[]){
#embed "../../Scenarios/first-pairing.json" suffix(, 0)
     }},
    {"flood",
     (const char[]){
#embed "../../Scenarios/flood.json" suffix(, 0)
     }},
    {"long-message-small-mtu",
     (const char[]){
#embed "../../Scenarios/long-message-small-mtu.json" suffix(, 0)
     }},
    {"mail-body-later",
     (const char[]){
#embed "../../Scenarios/mail-body-later.json" suffix(, 0)
     }},
    {"reconnect",
     (const char[]){
#embed "../../Scenarios/reconnect.json" suffix(, 0)
     }},
    {"service-vanishes",
     (const char[]){
#embed "../../Scenarios/service-vanishes.json" suffix(, 0)
     }},
    {"text",
     (const char[]){
#embed "../../Scenarios/text.json" suffix(, 0)
     }},
    {"faults/category-12",
     (const char[]){
#embed "../../Scenarios/faults/category-12.json" suffix(, 0)
     }},
    {"faults/duplicated-answer",
     (const char[]){
#embed "../../Scenarios/faults/duplicated-answer.json" suffix(, 0)
     }},
    {"faults/ellipsis",
     (const char[]){
#embed "../../Scenarios/faults/ellipsis.json" suffix(, 0)
     }},
    {"faults/empty-date",
     (const char[]){
#embed "../../Scenarios/faults/empty-date.json" suffix(, 0)
     }},
    {"faults/errors",
     (const char[]){
#embed "../../Scenarios/faults/errors.json" suffix(, 0)
     }},
    {"faults/fragments",
     (const char[]){
#embed "../../Scenarios/faults/fragments.json" suffix(, 0)
     }},
    {"faults/hard-cut",
     (const char[]){
#embed "../../Scenarios/faults/hard-cut.json" suffix(, 0)
     }},
    {"faults/header-only-app",
     (const char[]){
#embed "../../Scenarios/faults/header-only-app.json" suffix(, 0)
     }},
    {"faults/joined-answers",
     (const char[]){
#embed "../../Scenarios/faults/joined-answers.json" suffix(, 0)
     }},
    {"faults/keys-forgotten",
     (const char[]){
#embed "../../Scenarios/faults/keys-forgotten.json" suffix(, 0)
     }},
    {"faults/late-answer",
     (const char[]){
#embed "../../Scenarios/faults/late-answer.json" suffix(, 0)
     }},
    {"faults/link-loss",
     (const char[]){
#embed "../../Scenarios/faults/link-loss.json" suffix(, 0)
     }},
    {"faults/lost-answer",
     (const char[]){
#embed "../../Scenarios/faults/lost-answer.json" suffix(, 0)
     }},
    {"faults/no-consent",
     (const char[]){
#embed "../../Scenarios/faults/no-consent.json" suffix(, 0)
     }},
    {"faults/other-order",
     (const char[]){
#embed "../../Scenarios/faults/other-order.json" suffix(, 0)
     }},
    {"faults/phone-stops-answering",
     (const char[]){
#embed "../../Scenarios/faults/phone-stops-answering.json" suffix(, 0)
     }},
    {"faults/pre-existing-none",
     (const char[]){
#embed "../../Scenarios/faults/pre-existing-none.json" suffix(, 0)
     }},
    {"faults/pre-existing-some",
     (const char[]){
#embed "../../Scenarios/faults/pre-existing-some.json" suffix(, 0)
     }},
    {"faults/pre-existing-unflagged",
     (const char[]){
#embed "../../Scenarios/faults/pre-existing-unflagged.json" suffix(, 0)
     }},
    {"faults/reserved-flag",
     (const char[]){
#embed "../../Scenarios/faults/reserved-flag.json" suffix(, 0)
     }},
    {"faults/service-gone-silently",
     (const char[]){
#embed "../../Scenarios/faults/service-gone-silently.json" suffix(, 0)
     }},
    {"faults/service-gone",
     (const char[]){
#embed "../../Scenarios/faults/service-gone.json" suffix(, 0)
     }},
    {"faults/subscriptions-dropped",
     (const char[]){
#embed "../../Scenarios/faults/subscriptions-dropped.json" suffix(, 0)
     }},
    {"faults/uids-restart",
     (const char[]){
#embed "../../Scenarios/faults/uids-restart.json" suffix(, 0)
     }},
    {"trouble/actions-refused",
     (const char[]){
#embed "../../Scenarios/trouble/actions-refused.json" suffix(, 0)
     }},
    {"trouble/answer-lost-twice",
     (const char[]){
#embed "../../Scenarios/trouble/answer-lost-twice.json" suffix(, 0)
     }},
    {"trouble/consent-late-and-withdrawn",
     (const char[]){
#embed "../../Scenarios/trouble/consent-late-and-withdrawn.json" suffix(, 0)
     }},
    {"trouble/data-source-dropped",
     (const char[]){
#embed "../../Scenarios/trouble/data-source-dropped.json" suffix(, 0)
     }},
    {"trouble/flood-of-500",
     (const char[]){
#embed "../../Scenarios/trouble/flood-of-500.json" suffix(, 0)
     }},
    {"trouble/link-fades",
     (const char[]){
#embed "../../Scenarios/trouble/link-fades.json" suffix(, 0)
     }},
    {"trouble/link-lost-with-others-waiting",
     (const char[]){
#embed "../../Scenarios/trouble/link-lost-with-others-waiting.json" suffix(, 0)
     }},
    {"trouble/names-never-told",
     (const char[]){
#embed "../../Scenarios/trouble/names-never-told.json" suffix(, 0)
     }},
    {"trouble/notification-source-dropped",
     (const char[]){
#embed "../../Scenarios/trouble/notification-source-dropped.json" suffix(, 0)
     }},
    {"trouble/phone-deaf",
     (const char[]){
#embed "../../Scenarios/trouble/phone-deaf.json" suffix(, 0)
     }},
    {"trouble/phone-restarts",
     (const char[]){
#embed "../../Scenarios/trouble/phone-restarts.json" suffix(, 0)
     }},
    {"trouble/phone-wedged",
     (const char[]){
#embed "../../Scenarios/trouble/phone-wedged.json" suffix(, 0)
     }},
    {"trouble/seen-new-and-gone",
     (const char[]){
#embed "../../Scenarios/trouble/seen-new-and-gone.json" suffix(, 0)
     }},
    {"trouble/service-hidden",
     (const char[]){
#embed "../../Scenarios/trouble/service-hidden.json" suffix(, 0)
     }},
    {"trouble/service-moved",
     (const char[]){
#embed "../../Scenarios/trouble/service-moved.json" suffix(, 0)
     }},
    {"trouble/stalls-and-strays",
     (const char[]){
#embed "../../Scenarios/trouble/stalls-and-strays.json" suffix(, 0)
     }},
    {"trouble/text-and-dates",
     (const char[]){
#embed "../../Scenarios/trouble/text-and-dates.json" suffix(, 0)
     }},
    {"trouble/two-accessories",
     (const char[]){
#embed "../../Scenarios/trouble/two-accessories.json" suffix(, 0)
     }},
};

static const int32_t count = sizeof scenarios / sizeof scenarios[0];

int32_t cscenarios_count(void) { return count; }

const char *cscenarios_name(int32_t index) { return index >= 0 && index < count ? scenarios[index].name : 0; }

const char *cscenarios_text(int32_t index) { return index >= 0 && index < count ? scenarios[index].text : 0; }
