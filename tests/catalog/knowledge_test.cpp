// Every row of data/: it loads, its examples match, its near misses do not, and everything it names exists.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/knowledge.h"

#include "base/text.h"
#include "catalog/builder.h"
#include "catalog/pack.h"
#include "parse/decoder.h"
#include "parse/format.h"
#include "parse/scanner.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

namespace gpuwright::tests {
namespace {

std::vector<catalog::KnowledgeFile> knowledge_files() {
  base::Result<std::vector<catalog::KnowledgeFile>> files = catalog::read_knowledge(source_dir() + "/data");
  EXPECT_TRUE(files.ok()) << (files.ok() ? "" : files.error().text());
  return files ? std::move(*files) : std::vector<catalog::KnowledgeFile>{};
}

/// Calls visit(file name, row) for each row of the YAML files below a folder.
template <class Visit>
void for_each_row(const std::vector<catalog::KnowledgeFile>& files, const std::string& folder,
                  Visit&& visit) {
  for (const catalog::KnowledgeFile& file : files) {
    if (file.name.rfind(folder, 0) != 0) continue;
    for (const kit::Node& row : file.root.items) visit(file.name, row);
  }
}

class MatchCollector final : public parse::Scanner::Sink {
 public:
  void on_match(const parse::Match& match, std::size_t) override { ids.insert(match.signature->id); }
  void on_block_start(std::size_t, std::size_t, std::int64_t) override {}
  std::set<std::string> ids;
};

std::set<std::string> matching_ids(parse::Scanner& scanner, const std::string& line) {
  MatchCollector collector;
  scanner.scan(line + "\n", 1, collector);
  return collector.ids;
}

/// All of src/ as one text, to see whether code raises a signal.
const std::string& source_text() {
  static const std::string kText = [] {
    std::stringstream all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/src")) {
      if (entry.path().extension() == ".cpp") all << std::ifstream(entry.path()).rdbuf();
    }
    return all.str();
  }();
  return kText;
}

/// Signals that signatures and the rows of the baseline raise.
std::set<std::string> signals_of_data() {
  std::set<std::string> signals;
  for (const catalog::Signature& signature : knowledge().signatures()) signals.insert(signature.signal);
  const base::CsvTable* baseline = knowledge().table("baseline");
  if (baseline == nullptr) return signals;
  for (const base::CsvTable::Row& row : baseline->rows) signals.insert(baseline->cell(row, "signal"));
  return signals;
}

/// True when a signature raises the signal, a code table holds it, or code names it.
bool is_raised(const std::string& signal, const std::set<std::string>& by_data) {
  const bool glob = signal.size() > 2 && signal.substr(signal.size() - 2) == ".*";
  const std::string group = signal.substr(0, signal.find('.'));
  if (group == "xid" || group == "sxid") {
    const std::optional<std::int64_t> code = base::parse_int(signal.substr(signal.find('.') + 1));
    if (glob) return true;
    if (code) return group == "xid" ? knowledge().xid(*code) != nullptr : knowledge().sxid(*code) != nullptr;
  }
  if (glob) {
    return std::any_of(
               by_data.begin(), by_data.end(),
               [&](const std::string& raised) { return base::matches_signal_glob(signal, raised); }) ||
           base::contains(source_text(), "\"" + signal.substr(0, signal.size() - 1));
  }
  // Code may build the name from its group and a variable part: then the group with its dot stands in the
  // source.
  return by_data.count(signal) > 0 || base::contains(source_text(), "\"" + signal + "\"") ||
         base::contains(source_text(), "\"" + group + ".\"");
}

TEST(Knowledge, PacksAndUnpacksToTheSameCatalog) {
  const base::Result<catalog::Catalog> before = catalog::build_catalog(knowledge_files());
  ASSERT_TRUE(before.ok()) << before.error().text();
  const std::string packed = catalog::pack_catalog(*before);
  const base::Result<catalog::Catalog> after = catalog::unpack_catalog(packed);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(catalog::pack_catalog(*after), packed);
  EXPECT_EQ(after->causes().size(), before->causes().size());
  EXPECT_EQ(after->xid(79)->meaning.zh, before->xid(79)->meaning.zh);
  EXPECT_EQ(after->compat().boards.size(), before->compat().boards.size());
  EXPECT_EQ(after->compat().branch(580)->last_release, before->compat().branch(580)->last_release);
}

TEST(Knowledge, DamagedPackIsRefused) {
  const std::string packed = catalog::pack_catalog(knowledge());
  EXPECT_FALSE(catalog::unpack_catalog("").ok());
  EXPECT_FALSE(catalog::unpack_catalog(packed.substr(0, packed.size() / 4)).ok());
  std::string wrong = packed;
  wrong[20] = '9';
  EXPECT_FALSE(catalog::unpack_catalog(wrong).ok());
}

TEST(Knowledge, TablesHoldAllPublishedCodes) {
  EXPECT_GE(knowledge().xids().size(), 177U);
  EXPECT_GE(knowledge().sxids().size(), 420U);
  EXPECT_EQ(knowledge().nvlink5().size(), 95U);
}

TEST(Knowledge, EveryTableRowNamesItsSourceAndSpeaksBothLanguages) {
  for (const catalog::XidRow& row : knowledge().xids()) {
    EXPECT_FALSE(row.source.empty() || row.meaning.en.empty() || row.meaning.zh.empty() || row.action.empty())
        << "Xid " << row.code;
  }
  for (const catalog::SxidRow& row : knowledge().sxids()) {
    EXPECT_FALSE(row.source.empty() || row.meaning.en.empty() || row.meaning.zh.empty())
        << "SXid " << row.code;
  }
  for (const catalog::Nvlink5Row& row : knowledge().nvlink5()) {
    EXPECT_FALSE(row.source.empty() || row.action.empty()) << row.subunit;
    EXPECT_EQ(row.pattern_v1.size(), 32U) << row.subunit;
    EXPECT_EQ(row.pattern_v2.size(), 32U) << row.subunit;
  }
}

TEST(Knowledge, EveryThresholdIsUsedAndSaysWhy) {
  std::set<std::string> ids;
  for (const catalog::ThresholdRow& row : knowledge().tables().thresholds) {
    ids.insert(row.id);
    EXPECT_FALSE(row.reason.empty() || row.unit.empty() || row.applies_to.empty()) << row.id;
    // "…_gen5" is put together from its family and the generation
    const std::string family =
        row.id.substr(0, row.id.find("_gen") == std::string::npos ? row.id.size() : row.id.find("_gen") + 4);
    EXPECT_TRUE(base::contains(source_text(), "\"" + family))
        << row.id << " is a limit that nobody compares with";
  }
  EXPECT_EQ(knowledge().threshold("gpu.remap_uncorrectable_limit"), 512.0);
  EXPECT_EQ(knowledge().threshold("gpu.no_such_limit"), std::numeric_limits<double>::infinity());
  // Every limit that code asks for has a row.
  static constexpr std::string_view kAsks[] = {"limit(\"", "threshold(\""};
  for (const std::string_view ask : kAsks) {
    for (std::size_t at = source_text().find(ask); at != std::string::npos;
         at = source_text().find(ask, at + 1)) {
      const std::size_t begin = at + ask.size();
      const std::string id = source_text().substr(begin, source_text().find('"', begin) - begin);
      EXPECT_TRUE(ids.count(id) == 1 || base::contains(id, "_gen")) << id;
    }
  }
}

TEST(Knowledge, EverySignatureMatchesItsThreeExamplesAndNoNearMiss) {
  parse::Scanner scanner(knowledge());
  for_each_row(knowledge_files(), "signatures/", [&](const std::string& file, const kit::Node& row) {
    const std::string id = row["id"].text();
    const std::vector<std::string> examples = row["examples"].texts();
    EXPECT_GE(examples.size(), 3U) << file << ": " << id;
    EXPECT_GE(row["near_miss"].texts().size(), 1U) << file << ": " << id;
    for (const std::string& example : examples) {
      EXPECT_EQ(matching_ids(scanner, example).count(id), 1U)
          << file << ": " << id << " should match: " << example;
    }
    for (const std::string& line : row["near_miss"].texts()) {
      EXPECT_EQ(matching_ids(scanner, line).count(id), 0U)
          << file << ": " << id << " should not match: " << line;
    }
  });
}

TEST(Knowledge, ExamplesStillMatchBehindEveryKindOfPrefix) {
  parse::Scanner scanner(knowledge());
  for_each_row(knowledge_files(), "signatures/", [&](const std::string& file, const kit::Node& row) {
    if (row["examples"].texts().empty()) return;
    const std::string example = row["examples"].texts().front();
    if (example[0] == '{' || example[0] == '[') return;  // has a prefix of its own
    if (row["regex"].text().starts_with("^")) return;    // a file's whole line, never logged
    for (const char* prefix : {"[12345.678901] ", "Aug 30 11:43:09 node1 kernel: ",
                               "2024-08-30T11:43:09.123456+02:00 node1 app[12]: ", "  "}) {
      EXPECT_EQ(matching_ids(scanner, prefix + example).count(row["id"].text()), 1U)
          << file << ": " << prefix << example;
    }
  });
}

TEST(Knowledge, EveryDecoderAndFormatThatDataNamesExists) {
  for (const catalog::Signature& signature : knowledge().signatures()) {
    EXPECT_TRUE(signature.decode.empty() || parse::find_decoder(signature.decode) != nullptr) << signature.id;
    EXPECT_TRUE(signature.inherit_from.empty() || knowledge().signature(signature.inherit_from) != nullptr)
        << signature.id;
  }
  std::set<std::string> in_code, in_data;
  for (const parse::Format& format : parse::all_formats())
    EXPECT_TRUE(in_code.insert(format.id).second) << format.id;
  for (const catalog::FormatRow& row : knowledge().formats()) in_data.insert(row.id);
  EXPECT_EQ(in_code, in_data);
}

TEST(Knowledge, EverySignalThatACauseNamesIsRaisedBySomething) {
  const std::set<std::string> raised = signals_of_data();
  for (const catalog::Cause& cause : knowledge().causes()) {
    std::vector<std::string> named = cause.contradicted_by;
    for (const catalog::Raise& raise : cause.raised_by) {
      named.push_back(raise.signal);
      named.insert(named.end(), raise.with.begin(), raise.with.end());
      named.insert(named.end(), raise.without.begin(), raise.without.end());
    }
    for (const catalog::Explain& explain : cause.explains) named.push_back(explain.signal);
    for (const std::string& signal : named)
      EXPECT_TRUE(is_raised(signal, raised)) << cause.id << " names " << signal;
  }
}

TEST(Knowledge, EveryAlarmingSignatureLeadsToACause) {
  const auto leads = [](const std::string& signal) {
    return std::any_of(
        knowledge().causes().begin(), knowledge().causes().end(), [&](const catalog::Cause& cause) {
          return std::any_of(
              cause.raised_by.begin(), cause.raised_by.end(),
              [&](const catalog::Raise& raise) { return base::matches_signal_glob(raise.signal, signal); });
        });
  };
  for (const catalog::Signature& signature : knowledge().signatures()) {
    if (signature.level == model::EventLevel::Context || !signature.decode.empty()) continue;
    EXPECT_TRUE(leads(signature.signal))
        << signature.id << " raises " << signature.signal << ", which no cause knows";
  }
}

TEST(Knowledge, EveryXidLeadsToACause) {
  for (const catalog::XidRow& row : knowledge().xids()) {
    const std::string line =
        "NVRM: Xid (PCI:0000:3b:00): " + std::to_string(row.code) + ", pid=1234, name=python3, Ch 00000008";
    const model::Diagnosis diagnosis = diagnose(line);
    EXPECT_EQ(diagnosis.findings.size() + diagnosis.harmless.size(), 1U)
        << "Xid " << row.code << ": " << summary(diagnosis);
  }
}

TEST(Knowledge, NoTextOfACauseRepeatsAnotherUnderAnotherId) {
  std::set<std::string> titles;
  for (const catalog::Cause& cause : knowledge().causes())
    EXPECT_TRUE(titles.insert(cause.title.en).second) << cause.id << ": " << cause.title.en;
}

}  // namespace
}  // namespace gpuwright::tests
