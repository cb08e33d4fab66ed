// Entries of the catalog for a person or a program: the same rows from which doctor speaks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <string>

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

}  // namespace gpuwright::report
