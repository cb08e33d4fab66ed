// Redfish log entries: JSON objects with "EntryType", "Severity", "Message", "Created". A paste is often cut
// or several documents in a row, so each property line is read by itself; a document on one line is broken at
// its braces first. Source: DMTF Redfish, schema LogEntry.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/bmc_formats.h"
#include "parse/line_prefix.h"

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxEntries = 20'000;
constexpr std::size_t kMaxString = 2'000;

/// A JSON string that begins at `at` (on its quote); moves `at` behind it. Escapes become the character or a
/// space.
std::string read_string(std::string_view text, std::size_t& at) {
  std::string out;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    char letter = text[at];
    if (letter == '\\' && at + 1 < text.size()) {
      letter = text[++at];
      if (letter == 'n' || letter == 't' || letter == 'r') letter = ' ';
    }
    if (out.size() < kMaxString) out += letter;
  }
  if (at < text.size()) ++at;
  return out;
}

/// Collects the strings of one entry; a new "Id" or closing brace of the entry's depth ends it.
class EntryReader {
 public:
  EntryReader(const BlockContext& context, model::Observations& out) : context_(context), out_(out) {}

  void property(const std::string& key, const std::string& value, std::size_t line_index) {
    if (key == "Message") {
      entry_.description = base::printable(value, 300);
      line_ = line_index;
    } else if (key == "Severity" || (key == "MessageSeverity" && entry_.severity.empty())) {
      entry_.severity = base::printable(value, 20);
    } else if (key == "SensorType" || (key == "MessageId" && entry_.sensor.empty())) {
      entry_.sensor = base::printable(value, 80);
    } else if (key == "Created" || key == "EventTimestamp") {
      entry_.time = read_line_prefix(value).time;
    } else if (key == "EntryCode") {
      entry_.asserted = value.rfind("Deassert", 0) != 0;
    }
  }

  /// An object of the entry's depth closed: keeps what has a message.
  void close() {
    const bool entry = !entry_.description.empty() && !entry_.severity.empty();
    if (entry && kept_ < kMaxEntries) {
      const std::string text = entry_.severity + ": " + entry_.description;
      entry_.evidence = block_evidence(context_, line_, text);
      out_.bmc_log.push_back(entry_);
      ++kept_;
    }
    if (entry) entry_ = model::BmcLogEntry();
  }
  std::size_t kept() const { return kept_; }

 private:
  const BlockContext& context_;
  model::Observations& out_;
  model::BmcLogEntry entry_;
  std::size_t line_ = 0;
  std::size_t kept_ = 0;
};

}  // namespace

bool parse_redfish_log(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                       model::Observations& out) {
  EntryReader reader(context, out);
  std::string key;
  bool after_colon = false;
  std::size_t line_index = 0;
  for (std::size_t at = 0; at < block.size();) {
    const char letter = block[at];
    if (letter == '"') {
      const std::string text = read_string(block, at);
      if (after_colon) reader.property(key, text, line_index);
      key = after_colon ? std::string() : text;
      after_colon = false;
      continue;
    }
    if (letter == '\n') ++line_index;
    if (letter == ':') after_colon = true;
    if (letter == ',' || letter == '{' || letter == '[') after_colon = false;
    if (letter == '}') reader.close();
    ++at;
  }
  reader.close();
  return reader.kept() > 0;
}

}  // namespace gpuwright::parse
