// SPDX-License-Identifier: Apache-2.0
#include "catalog/pack.h"

#include "catalog/spec_key.h"
#include "catalog/table_columns.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace gpuwright::catalog {

namespace {

constexpr std::string_view kMagic = "gpuwright knowledge 6\n";

/// Appends values: numbers as base-128 varints (zigzag for the sign), texts and lists with their size in
/// front.
class Writer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }

  std::string out;

 private:
  void put(const std::string& text) {
    number(text.size());
    out += text;
  }
  template <class T>
  void put(const std::vector<T>& list) {
    number(list.size());
    for (const T& item : list) put(item);
  }
  template <class K, class V>
  void put(const std::map<K, V>& map) {
    number(map.size());
    for (const auto& entry : map) (*this)(entry.first, entry.second);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      const auto number_value = static_cast<std::int64_t>(value);
      number((static_cast<std::uint64_t>(number_value) << 1) ^
             static_cast<std::uint64_t>(number_value >> 63));
    } else {
      fields(
          *this,
          const_cast<T&>(
              value));  // NOLINT: the same list of fields serves reading and writing; a Writer changes nothing
    }
  }
};

/// Reads what Writer wrote. After the first value that does not fit, everything reads as empty and ok() is
/// false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_; }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  /// A count of things of at least one byte each.
  std::size_t size() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail();
    return ok_ ? static_cast<std::size_t>(value) : 0;
  }
  void fail() {
    ok_ = false;
    bytes_ = {};
  }
  void get(std::string& text) {
    const std::size_t length = size();
    text.assign(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
  }
  template <class T>
  void get(std::vector<T>& list) {
    list.resize(size());
    for (T& item : list) get(item);
  }
  template <class K, class V>
  void get(std::map<K, V>& map) {
    for (std::size_t count = size(); count > 0 && ok_; --count) {
      K key;
      get(key);
      get(map[std::move(key)]);
    }
  }
  void get(bool& value) { value = number() != 0; }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      const std::uint64_t zigzag = number();
      value = static_cast<T>(static_cast<std::int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1)));
    } else {
      fields(*this, value);
    }
  }

  std::string_view bytes_;
  bool ok_ = true;
};

// ---- the fields of each noun, in the order of the pack ----

template <class Archive>
void fields(Archive& archive, Text& text) {
  archive(text.en, text.zh);
}
template <class Archive>
void fields(Archive& archive, TextList& list) {
  archive(list.en, list.zh);
}
template <class Archive>
void fields(Archive& archive, TemplatePart& part) {
  archive(part.kind, part.literal, part.capture_class, part.capture);
}
template <class Archive>
void fields(Archive& archive, Template& pattern) {
  archive(pattern.text, pattern.parts);
}
template <class Archive>
void fields(Archive& archive, Signature& row) {
  archive(row.id, row.signal, row.level, row.subject, row.templates, row.regex, row.literals, row.captures,
          row.key, row.set, row.inherit_from, row.inherit_lines, row.decode, row.source);
}
template <class Archive>
void fields(Archive& archive, Raise& raise) {
  archive(raise.signal, raise.sure, raise.when, raise.with, raise.without);
}
template <class Archive>
void fields(Archive& archive, Explain& explain) {
  archive(explain.signal, explain.on, explain.within_ns, explain.before_ns);
}
template <class Archive>
void fields(Archive& archive, Cause& row) {
  archive(row.id, row.title, row.at, row.scope, row.severity, row.who, row.action_now, row.action_later,
          row.raised_by, row.explains, row.contradicted_by, row.why, row.now, row.later, row.decide,
          row.sources);
}
template <class Archive>
void fields(Archive& archive, FormatRow& row) {
  archive(row.id, row.title, row.starts, row.until_blank, row.until_end);
}
template <class Archive>
void fields(Archive& archive, DemoRow& row) {
  archive(row.name, row.title, row.text);
}
template <class Archive>
void fields(Archive& archive, XidRow& row) {
  archive(row.code, row.mnemonic, row.meaning, row.action, row.investigate, row.severity, row.applies_to,
          row.note, row.source);
}
template <class Archive>
void fields(Archive& archive, SxidRow& row) {
  archive(row.code, row.mnemonic, row.meaning, row.guide_class, row.source);
}
template <class Archive>
void fields(Archive& archive, Nvlink5Row& row) {
  archive(row.xid, row.subunit, row.pattern_v1, row.pattern_v2, row.error_status, row.action,
          row.action2_pattern_v1, row.action2_pattern_v2, row.action2, row.investigate, row.severity,
          row.local_effects, row.remote_effects, row.source);
}
template <class Archive>
void fields(Archive& archive, SpecKey& row) {
  archive(row.key, row.parent, row.name, row.shape, row.type, row.allowed, row.least, row.most, row.required,
          row.identity, row.default_value, row.doc, row.example, row.starter, row.read, row.facts,
          row.compare, row.slack, row.none_if_absent, row.from_machine);
}
template <class Archive>
void fields(Archive& archive, base::CsvTable::Row& row) {
  archive(row.line, row.cells);
}
template <class Archive>
void fields(Archive& archive, base::CsvTable& table) {
  archive(table.header, table.rows);
}
template <class Archive>
void fields(Archive& archive, Rules& rules) {
  archive(rules.signatures, rules.causes, rules.formats, rules.demos, rules.scanner_tables);
}
/// Hands each column of a typed table to the archive.
template <class Archive>
struct Columns {
  Archive& archive;
  void text(const char*, std::string& value) { archive(value); }
  void version(const char*, std::string& value) { archive(value); }
  void day(const char*, std::string& value) { archive(value); }
  void decimal(const char*, std::string& value) { archive(value); }
  void number(const char*, std::int64_t& value) { archive(value); }
  void hex(const char*, std::int64_t& value) { archive(value); }
  void yes(const char*, bool& value) { archive(value); }
  void list(const char*, std::vector<std::string>& value) { archive(value); }
};
template <class Archive, class Row>
auto fields(Archive& archive, Row& row) -> decltype(columns(std::declval<Columns<Archive>&>(), row)) {
  Columns<Archive> visitor{archive};
  columns(visitor, row);
}
template <class Archive>
void fields(Archive& archive, Compat& compat) {
  archive(compat.cuda_releases, compat.branches, compat.capabilities, compat.compilers, compat.chips,
          compat.boards, compat.cudnn, compat.torch, compat.tensorflow, compat.os, compat.os_families,
          compat.images, compat.image_distributions);
}
template <class Archive>
void fields(Archive& archive, Metrics& metrics) {
  archive(metrics.families, metrics.series, metrics.dcgm, metrics.xids, metrics.alerts, metrics.panels,
          metrics.panel_titles);
}
template <class Archive>
void fields(Archive& archive, FleetTables& fleet) {
  archive(fleet.queries, fleet.classes, fleet.prices);
}
template <class Archive>
void fields(Archive& archive, Tables& tables) {
  if (!tables.spec_keys) tables.spec_keys = std::make_shared<std::vector<SpecKey>>();
  archive(tables.xids, tables.sxids, tables.nvlink5, *tables.spec_keys, tables.compat, tables.thresholds,
          tables.metrics, tables.fleet, tables.others);
}

}  // namespace

std::string pack_catalog(const Catalog& catalog) {
  Writer writer;
  writer.out = kMagic;
  writer(catalog.rules(), catalog.tables());
  return std::move(writer.out);
}

base::Result<Catalog> unpack_catalog(std::string_view packed) {
  const base::Error damaged = base::make_error(base::ErrorKind::Malformed, "the knowledge pack is damaged");
  if (packed.substr(0, kMagic.size()) != kMagic) return damaged;
  Reader reader(packed.substr(kMagic.size()));
  Rules rules;
  reader(rules);
  if (!reader.ok()) return damaged;
  const std::string_view rest = reader.rest();
  return Catalog(std::move(rules), [rest] {
    Reader table_reader(rest);
    Tables tables;
    table_reader(tables);
    return table_reader.ok() ? std::move(tables) : Tables{};
  });
}

}  // namespace gpuwright::catalog
