// Kinds of trouble in their printers' own words, each with the cause that it must lead to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <ostream>

namespace gpuwright::tests {

struct Kind {
  const char* cause;
  const char* text;
};

inline void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.cause;
}

/// The text leads to this one finding; everything else is folded under it.
inline void expect_one_incident(const Kind& kind) {
  const model::Diagnosis diagnosis = diagnose(kind.text);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings.front().cause, kind.cause);
}

}  // namespace gpuwright::tests
