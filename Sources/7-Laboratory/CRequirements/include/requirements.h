#pragma once

/// The text of requirements.txt, up to an octet 0.
const char *crequirements_text(void);
