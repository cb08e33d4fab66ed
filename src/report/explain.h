// Entries of the catalog for a person or a program: the same rows from which doctor speaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <string>
#include <vector>

namespace gpuwright::report {

struct ExplainOptions {
  catalog::Language language = catalog::Language::English;
  bool color = false;
  int width = 100;
};

/// A cause: what it is, what raises it, what it explains, what to do, sources.
std::string explain_cause_text(const catalog::Cause& cause, const ExplainOptions& options);
std::string explain_cause_json(const catalog::Cause& cause, catalog::Language language);

/// An Xid, with the causes that it can lead to.
std::string explain_xid_text(const catalog::XidRow& row, const catalog::Catalog& catalog,
                             const ExplainOptions& options);
std::string explain_xid_json(const catalog::XidRow& row, const catalog::Catalog& catalog,
                             catalog::Language language);

/// An NVSwitch SXid, with the causes that it can lead to.
std::string explain_sxid_text(const catalog::SxidRow& row, const catalog::Catalog& catalog,
                              const ExplainOptions& options);
std::string explain_sxid_json(const catalog::SxidRow& row, const catalog::Catalog& catalog,
                              catalog::Language language);

/// A signature: how a line looks that raises its signal, and the causes.
std::string explain_signature_text(const catalog::Signature& signature, const catalog::Catalog& catalog,
                                   const ExplainOptions& options);
std::string explain_signature_json(const catalog::Signature& signature, const catalog::Catalog& catalog,
                                   catalog::Language language);

/// What the compatibility tables tell of one thing: a driver branch, a CUDA release, a GPU.
struct FactSheet {
  struct Fact {
    std::string key;    ///< in JSON: "end_of_life"; empty: not shown there
    std::string label;  ///< in text; empty: not shown there
    std::string value;  ///< an empty one is left out of the text
  };
  std::string kind;  ///< "driver", "cuda", "gpu"
  std::string id;    ///< "R580"
  std::string heading;
  std::vector<Fact> facts;
  std::string as_of;  ///< the day on which the facts were read; may be empty
  std::string source;
};

std::string explain_sheet_text(const FactSheet& sheet, const ExplainOptions& options);
std::string explain_sheet_json(const FactSheet& sheet);

}  // namespace gpuwright::report
