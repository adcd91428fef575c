#pragma once

// What the tool prints in the languages of others, each up to an octet 0. @WORDS@ in capitals are replaced.

/// The style of a report: light or dark as the reader's system is, and light on paper. Both schemes have a contrast of
/// at least 4.5 (WCAG 2.2, 1.4.3) between each text and what is behind it.
const char *ctemplates_report_css(void);

/// The completions of the shells.
const char *ctemplates_completion_bash(void);
const char *ctemplates_completion_fish(void);
const char *ctemplates_completion_zsh(void);
