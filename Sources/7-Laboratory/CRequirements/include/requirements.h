#pragma once

/// The text of requirements.txt, up to an octet 0.
const char *crequirements_text(void);
/// The text of verbs.txt, up to an octet 0.
const char *crequirements_verbs(void);
