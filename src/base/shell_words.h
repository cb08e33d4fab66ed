// Command lines as text. Ours are lists of words and meet no shell; but ssh joins the words it is given, and
// the login shell at the far end takes them apart again, whichever shell that is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::base {

/// The word written so that every login shell reads that word, and nothing else, from it: sh, bash, zsh, ksh
/// (single quotes keep all but themselves), fish (a backslash means something in single quotes), csh and tcsh
/// ('!' does). Bytes that no quoting carries through csh (line feeds) or through an argument (NUL) must not
/// stand in it. Source: POSIX.1-2017, Shell Command Language 2.2.2; csh(1), "History substitutions"; fish
/// language, "Quotes".
std::string quote_word(std::string_view word);

/// The words, quoted, with a space between.
std::string quote_words(const std::vector<std::string>& words);

/// Takes a line apart as POSIX shells do: white space separates, single and double quotes and backslashes
/// hold together. Nothing is expanded. Malformed: a quote that stays open, a backslash at the end.
Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace gpuwright::base
