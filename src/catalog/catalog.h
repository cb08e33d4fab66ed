// Typed, read-only access to the knowledge under data/. Built once, from the embedded pack or from a folder
// (`--data DIR`).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/csv.h"
#include "base/result.h"
#include "catalog/cause.h"
#include "catalog/compat.h"
#include "catalog/fleet_tables.h"
#include "catalog/metric.h"
#include "catalog/signature.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

/// One Xid. Source: data/xids.csv.
struct XidRow {
  std::int64_t code = 0;
  std::string mnemonic;
  Text meaning;
  std::string
      action;  ///< immediate action bucket: IGNORE RESTART_APP RESET_GPU RESTART_BM CONTACT_SUPPORT ...
  std::string investigate;  ///< follow-up action bucket, may be empty
  std::string severity;     ///< info warning error critical
  std::string applies_to;   ///< GPU generations, may be empty
  std::string note;         ///< where the meaning changed with the driver or the generation
  std::string source;
};

/// One NVSwitch SXid. Source: data/sxids.csv.
struct SxidRow {
  std::int64_t code = 0;
  std::string mnemonic;
  Text meaning;
  std::string guide_class;  ///< always-fatal potentially-fatal non-fatal unclassified
  std::string source;
};

/// One decode row of Xid 144-150. Patterns are 32 characters, bit 31 first: '0' '1' must match, '-' is free.
/// Source: data/nvlink5.csv.
struct Nvlink5Row {
  std::int64_t xid = 0;
  std::string subunit;
  std::string pattern_v1;  ///< drivers before R575
  std::string pattern_v2;  ///< R575 and later
  std::string error_status;
  std::string action;
  std::string action2_pattern_v1;
  std::string action2_pattern_v2;
  std::string action2;
  std::string investigate;
  std::string severity;
  std::string local_effects;
  std::string remote_effects;
  std::string source;
};

/// One limit that a judge compares with where the board tells none of its own. Source: data/thresholds.csv.
struct ThresholdRow {
  std::string id;     ///< "gpu.retired_pages_limit"
  std::string value;  ///< a decimal number
  std::string unit;
  std::string applies_to;
  std::string reason;
  std::string source;
};

/// A kind of block with its own parser. Source: data/formats.yaml.
struct FormatRow {
  std::string id;
  Text title;
  std::vector<Template> starts;
  bool until_blank = false;  ///< an empty line ends the block
  bool until_end = false;    ///< the block holds the rest of the input: no other begins in it
};

/// A case to look at without a broken machine. Source: data/demos.yaml.
struct DemoRow {
  std::string name;
  Text title;
  std::string text;
};

// The keys of a spec: catalog/spec_key.h, which few need.
struct SpecKey;
class SpecKeys;

/// What every run needs.
struct Rules {
  std::vector<Signature> signatures;  ///< sorted by id, as are the others
  std::vector<Cause> causes;
  std::vector<FormatRow> formats;
  std::vector<DemoRow> demos;
  std::map<std::string, base::CsvTable> scanner_tables;
};

/// Tables that most runs do not look at: made when somebody first asks for one.
struct Tables {
  std::vector<XidRow> xids;  ///< sorted by code
  std::vector<SxidRow> sxids;
  std::vector<Nvlink5Row> nvlink5;
  std::shared_ptr<std::vector<SpecKey>> spec_keys;  ///< in the order that docs/SPEC.md shows; null: none
  Compat compat;
  std::vector<ThresholdRow> thresholds;  ///< sorted by id
  Metrics metrics;
  FleetTables fleet;
  std::map<std::string, base::CsvTable> others;
};

/// Makes the tables once, whoever asks first. Safe to ask from several threads.
class LazyTables {
 public:
  explicit LazyTables(std::function<Tables()> make) : make_(std::move(make)) {}
  const Tables& get();

 private:
  std::function<Tables()> make_;
  std::once_flag once_;
  Tables tables_;
};

class Catalog {
 public:
  /// The knowledge embedded in the binary. Malformed only if the pack is damaged.
  static base::Result<Catalog> embedded();
  /// The knowledge in a folder laid out like data/. Malformed names file and line.
  static base::Result<Catalog> from_folder(const std::string& folder);

  Catalog(Rules rules, std::function<Tables()> make_tables)
      : rules_(std::move(rules)), tables_(std::make_shared<LazyTables>(std::move(make_tables))) {}

  const Rules& rules() const { return rules_; }
  const Tables& tables() const { return tables_->get(); }
  const std::vector<Signature>& signatures() const { return rules_.signatures; }
  const std::vector<Cause>& causes() const { return rules_.causes; }
  const std::vector<FormatRow>& formats() const { return rules_.formats; }
  const std::vector<DemoRow>& demos() const { return rules_.demos; }
  const std::vector<XidRow>& xids() const { return tables().xids; }
  const std::vector<SxidRow>& sxids() const { return tables().sxids; }
  const std::vector<Nvlink5Row>& nvlink5() const { return tables().nvlink5; }
  /// The keys that a spec may have. The view lives as long as the catalog.
  SpecKeys spec_keys() const;
  const Compat& compat() const { return tables().compat; }
  const Metrics& metrics() const { return tables().metrics; }
  const FleetTables& fleet() const { return tables().fleet; }

  /// Null when unknown. Pointers live as long as the catalog.
  const Cause* cause(std::string_view id) const;
  const Signature* signature(std::string_view id) const;
  const XidRow* xid(std::int64_t code) const;
  const SxidRow* sxid(std::int64_t code) const;
  /// The limit of that id; infinite, so that nothing is beyond it, when the knowledge has none.
  double threshold(std::string_view id) const;
  /// A further table by its file name without ".csv" ("driver_branches"); null when unknown.
  const base::CsvTable* table(std::string_view name) const;

 private:
  Rules rules_;
  std::shared_ptr<LazyTables> tables_;  ///< shared by copies of the catalog
};

}  // namespace gpuwright::catalog
