// `dcgmi diag -j` and `dcgmi health -c -j` changed their shape between DCGM 2, 3 and 4, but the words stayed:
// a "name" or a system, a "status" or a "value", "warnings" with their text. The text is walked pair by pair,
// so an answer cut in the middle still counts as far as it goes. Source: DCGM user guide, "JSON output".
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/dcgm_messages.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::DcgmKind;
using model::DcgmResult;
using model::DcgmVerdict;
using model::Field;

class JsonWalker {
 public:
  JsonWalker(std::string_view block, const BlockContext& context)
      : block_(block), context_(context), line_(context.first_line) {}

  bool read(model::Observations& out) {
    while (at_ < block_.size() && results_.size() < 4096) step();
    return add_dcgm_results(results_, out);
  }

 private:
  void step() {
    const char c = block_[at_];
    if (c == '\n') ++line_;
    if (c == '"') return string();
    if (c == '}' && !keys_.empty()) keys_.pop_back();
    if (c == '{' && keys_.size() < 64) keys_.push_back(std::exchange(key_, std::string()));
    const bool number = (c >= '0' && c <= '9') || c == '-';
    if (number && !key_.empty()) return scalar_number();
    ++at_;
  }

  void string() {
    std::string text;
    std::size_t at = at_ + 1;
    for (; at < block_.size() && block_[at] != '"'; ++at) {
      if (block_[at] == '\\' && at + 1 < block_.size()) ++at;
      if (text.size() < 4000) text.push_back(block_[at] == '\n' ? ' ' : block_[at]);
    }
    if (at >= block_.size()) {
      at_ = block_.size();
      return;
    }
    at_ = at + 1;
    std::size_t next = at_;
    while (next < block_.size() &&
           (block_[next] == ' ' || block_[next] == '\t' || block_[next] == '\r' || block_[next] == '\n'))
      ++next;
    if (next < block_.size() && block_[next] == ':') {
      key_ = text;
      return;
    }
    value(text);
  }

  void scalar_number() {
    std::size_t end = at_;
    while (end < block_.size() &&
           std::string_view("-+.0123456789eE").find(block_[end]) != std::string_view::npos)
      ++end;
    value(std::string(block_.substr(at_, end - at_)));
    at_ = end;
    key_.clear();
  }

  void value(const std::string& text) {
    const std::string low = base::lower(key_);
    if (low == "name") test_ = text;
    if (low == "entity_id" || low == "gpu_ids" || low == "gpu_id" || low == "gpuid") gpu_ = text;
    if (low == "status") return add(test_, text);
    if (low == "value") return health(text);
    if (low == "warning" || low == "warnings" || low == "message") message(text);
  }

  void health(const std::string& text) {
    if (keys_.empty()) return;
    const std::string& subject = keys_.back();
    if (subject == "Overall Health" || base::contains(subject, "system")) add(subject, text);
    for (std::size_t i = keys_.size(); i-- > 0;)
      if (base::parse_int(keys_[i]) && !results_.empty() && subject != "Overall Health") {
        results_.back().gpu = Field<std::int64_t>(*base::parse_int(keys_[i]));
        break;
      }
    if (verdict_of(text) != DcgmVerdict::Unknown) return;
    // The children of a system may stand in front of its own value: then the message waits for it.
    const bool behind =
        !results_.empty() && std::find(keys_.begin(), keys_.end(), results_.back().subject) != keys_.end();
    if (behind)
      message(text);
    else if (waiting_.size() < 4000)
      waiting_ += (waiting_.empty() ? "" : " ") + base::printable(text, 400);
  }

  static DcgmVerdict verdict_of(std::string_view text) {
    if (base::starts_with_ignoring_case(text, "pass") || base::equals_ignoring_case(text, "healthy"))
      return DcgmVerdict::Pass;
    if (base::starts_with_ignoring_case(text, "fail") || base::starts_with_ignoring_case(text, "unhealthy"))
      return DcgmVerdict::Fail;
    if (base::starts_with_ignoring_case(text, "warn")) return DcgmVerdict::Warn;
    return base::starts_with_ignoring_case(text, "skip") ? DcgmVerdict::Skip : DcgmVerdict::Unknown;
  }

  void add(const std::string& subject, const std::string& status) {
    const DcgmVerdict verdict = verdict_of(status);
    if (verdict == DcgmVerdict::Unknown || subject.empty()) return;
    DcgmResult result;
    result.kind = base::contains(subject, "Overall Health") || base::contains(subject, "system")
                      ? DcgmKind::Health
                      : DcgmKind::Diagnostic;
    result.verdict = verdict;
    result.subject = base::printable(subject, 80);
    result.input = context_.input;
    result.evidence.push_back(evidence_of(context_, line_, subject + ": " + status));
    if (const auto gpu = base::parse_int(gpu_)) result.gpu = Field<std::int64_t>(*gpu);
    if (!waiting_.empty() && subject != "Overall Health") {
      result.evidence.push_back(evidence_of(context_, line_, waiting_));
      result.message = std::exchange(waiting_, std::string());
    }
    results_.push_back(std::move(result));
  }

  void message(const std::string& text) {
    if (results_.empty() || results_.back().message.size() > 4000) return;
    DcgmResult& last = results_.back();
    last.message += (last.message.empty() ? "" : " ") + base::printable(text, 400);
    if (last.evidence.size() < 4) last.evidence.push_back(evidence_of(context_, line_, text));
  }

  std::string_view block_;
  BlockContext context_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::string key_;
  std::vector<std::string> keys_;
  std::string test_;
  std::string gpu_;
  std::string waiting_;  ///< a message whose system is not named yet
  std::vector<DcgmResult> results_;
};

}  // namespace

bool parse_dcgmi_json(std::string_view block, const BlockContext& context,
                      const catalog::Catalog& /*catalog*/, model::Observations& out) {
  return JsonWalker(block, context).read(out);
}

}  // namespace gpuwright::parse
