// kubectl shows a pod or a node as indented "Key: value" text (describe), YAML or JSON. The three say the
// same with other punctuation, so one reader takes all of them line by line: quotes, commas and braces are
// dropped and indentation tells what belongs to what. Source: kubernetes/kubectl, pkg/describe/describe.go.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/driver_formats.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::Event;
using model::EventLevel;
using model::SubjectKind;

constexpr std::size_t kMaxLines = 200'000;
constexpr std::int64_t kMaxObjects = 2'000;

/// A CPU quantity ("4", "500m", "1.5") in cores.
std::optional<double> cores(std::string_view text) {
  if (!text.empty() && text.back() == 'm') {
    const auto milli = base::parse_double(text.substr(0, text.size() - 1));
    return milli && std::isfinite(*milli) ? std::optional<double>(*milli / 1000) : std::nullopt;
  }
  const auto whole = base::parse_double(text);
  return whole && std::isfinite(*whole) ? whole : std::nullopt;
}

std::string shown(double number) {
  std::string text = fmt::format("{:.2f}", number);
  while (base::contains(text, ".") && text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

/// A line without the punctuation that tells YAML, JSON and describe apart.
struct Line {
  std::string_view key;
  std::string_view value;
};

std::string_view bare(std::string_view text) {
  const auto drop = [](char c) {
    return c == '"' || c == ',' || c == '\'' || c == ' ' || c == '\t' || c == '\r';
  };
  while (!text.empty() && (drop(text.front()) || text.front() == '-')) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

Line read_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view value = line.substr(colon + 1);
  if (bare(value) == "{" || bare(value) == "[") value = {};
  return {bare(line.substr(0, colon)), bare(value)};
}

/// Sums up one pod or node.
class Object {
 public:
  explicit Object(const BlockContext& context) : context_(context) {}

  void take(std::string_view text, std::size_t index) {
    take_condition(text, index);
    const Line line = read_line(text);
    if (line.key.empty() || enters_section(line)) return;
    if (name_.empty() && base::equals_ignoring_case(line.key, "name") && !line.value.empty()) {
      name_ = base::printable(line.value.substr(0, line.value.find(' ')), 120);
      name_evidence_ = block_evidence(context_, index, text);
    }
    if (base::contains(text, "nvidia.com/gpu.present")) {
      expects_gpu_ = true;
      if (gpu_evidence_.input.empty()) gpu_evidence_ = block_evidence(context_, index, text);
    }
    if (section_ != Section::None) take_resource(line, text, index);
  }

  /// Adds what was found. False: nothing.
  bool finish(model::Observations& out) {
    if (gpus_ > 0) out.events.push_back(pod());
    if (capacity_ || allocatable_ || expects_gpu_) out.events.push_back(node());
    for (Event& event : conditions_) {
      event.subject = subject(SubjectKind::Node);
      out.events.push_back(std::move(event));
    }
    return gpus_ > 0 || capacity_ || allocatable_ || !name_.empty();
  }

 private:
  enum class Section { None, Limits, Requests, Capacity, Allocatable };

  /// A key without value opens a section; the resources stand in four of them.
  bool enters_section(const Line& line) {
    if (!line.value.empty()) return false;
    section_ = Section::None;
    if (base::equals_ignoring_case(line.key, "limits")) section_ = Section::Limits;
    if (base::equals_ignoring_case(line.key, "requests")) section_ = Section::Requests;
    if (base::equals_ignoring_case(line.key, "capacity")) section_ = Section::Capacity;
    if (base::equals_ignoring_case(line.key, "allocatable")) section_ = Section::Allocatable;
    shows_capacity_ = shows_capacity_ || section_ == Section::Capacity;
    return true;
  }

  void take_resource(const Line& line, std::string_view text, std::size_t index) {
    if (line.key == "nvidia.com/gpu") take_gpus(line, block_evidence(context_, index, text));
    const auto number = line.key == "cpu" ? cores(line.value) : std::nullopt;
    if (number && section_ == Section::Requests) cpu_request_ = cpu_request_.value_or(0) + *number;
    if (!number || section_ != Section::Limits) return;
    cpu_limit_ = cpu_limit_.value_or(0) + *number;
    cpu_evidence_ = block_evidence(context_, index, text);
  }

  void take_gpus(const Line& line, model::Evidence evidence) {
    const auto count = base::parse_int(line.value);
    if (!count || *count < 0 || *count > kMaxGpus) return;
    if (section_ == Section::Limits) gpus_ += *count;
    if (section_ == Section::Capacity) capacity_ = *count;
    if (section_ == Section::Allocatable) allocatable_ = *count;
    if (section_ != Section::Requests) gpu_evidence_ = std::move(evidence);
  }

  /// "  DiskPressure  True  <two times>  Reason  text" in a node's table; a pod's table has two columns only.
  void take_condition(std::string_view text, std::size_t index) {
    const auto words = base::words(text);
    if (words.size() < 6 || conditions_.size() >= kMaxConditions) return;
    const bool pressure =
        words[0] == "DiskPressure" || words[0] == "MemoryPressure" || words[0] == "PIDPressure";
    const bool bad_ready = words[0] == "Ready" && (words[1] == "False" || words[1] == "Unknown");
    if (!bad_ready && !(pressure && words[1] == "True")) return;
    Event event;
    event.signal = bad_ready ? "k8s.node_not_ready" : "k8s.evicted";
    event.signature = kFormat;
    if (pressure) event.params["resource"] = std::string(words[0]);
    event.evidence.push_back(block_evidence(context_, index, text));
    conditions_.push_back(std::move(event));
  }

  model::Subject subject(SubjectKind kind) const {
    model::Subject subject;
    subject.kind = name_.empty() ? SubjectKind::Host : kind;
    subject.id = name_;
    return subject;
  }

  Event fact(const char* signal, SubjectKind kind) const {
    Event event;
    event.signal = signal;
    event.signature = kFormat;
    event.level = EventLevel::Context;
    event.subject = subject(kind);
    if (!name_.empty()) event.evidence.push_back(name_evidence_);
    if (!gpu_evidence_.input.empty()) event.evidence.push_back(gpu_evidence_);
    return event;
  }

  Event pod() const {
    Event event = fact("k8s.pod_resources", SubjectKind::Pod);
    event.params["pod"] = name_;
    event.params["gpus"] = std::to_string(gpus_);
    if (cpu_limit_) event.params["cpu_limit"] = shown(*cpu_limit_);
    if (cpu_request_) event.params["cpu_request"] = shown(*cpu_request_);
    if (cpu_limit_) event.evidence.push_back(cpu_evidence_);
    return event;
  }

  Event node() const {
    Event event = fact("k8s.node_resources", SubjectKind::Node);
    event.params["node"] = name_;
    if (capacity_) event.params["capacity"] = std::to_string(*capacity_);
    if (allocatable_) event.params["allocatable"] = std::to_string(*allocatable_);
    // Labels alone do not say what the node offers.
    event.params["expected"] = expects_gpu_ && shows_capacity_ ? "yes" : "no";
    return event;
  }

  static constexpr const char* kFormat = "kubectl";
  static constexpr std::int64_t kMaxGpus = 1'000;
  static constexpr std::size_t kMaxConditions = 8;

  const BlockContext& context_;
  Section section_ = Section::None;
  std::string name_;
  model::Evidence name_evidence_, gpu_evidence_, cpu_evidence_;
  std::int64_t gpus_ = 0;
  std::optional<double> cpu_limit_, cpu_request_;
  std::optional<std::int64_t> capacity_, allocatable_;
  bool expects_gpu_ = false;     ///< the node's labels say that it has one
  bool shows_capacity_ = false;  ///< what it offers was printed
  std::vector<Event> conditions_;
};

/// True where the next pod or node begins: "Name:          x" in column 0, or "kind: Pod".
bool begins_object(std::string_view text) {
  if (text.substr(0, 11) == "Name:      ") return true;
  const Line line = read_line(text);
  return line.key == "kind" && (line.value == "Pod" || line.value == "Node");
}

/// JSON on one line, as `kubectl get -o json | jq -c` prints it, in the lines of the pretty form.
std::vector<std::string_view> laid_out(std::string_view line) {
  const std::string_view text = base::trim(line);
  std::vector<std::string_view> pieces;
  if (text.size() < 3 || text.front() != '{' || !base::contains(text, ":")) return {line};
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size() && pieces.size() < kMaxLines; ++at) {
    if (text[at] == '"' && (at == 0 || text[at - 1] != '\\')) quoted = !quoted;
    const bool opens = text[at] == '{' || text[at] == '[' || text[at] == ',';
    const bool closes = text[at] == '}' || text[at] == ']';
    if (quoted || (!opens && !closes)) continue;
    const std::size_t end = opens ? at + 1 : at;
    if (end > begin) pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

/// The objects of a block, one after the other.
class Objects {
 public:
  Objects(const BlockContext& context, model::Observations& out) : context_(context), out_(out) {}

  /// False when there are too many.
  bool take(std::string_view line, std::size_t index) {
    if (begins_object(line)) {
      finish();
      if (++count_ > kMaxObjects) return false;
      object_.emplace(context_);
    }
    if (!object_) object_.emplace(context_);
    object_->take(line, index);
    return true;
  }

  /// True where anything was found.
  bool finish() {
    if (object_ && object_->finish(out_)) found_ = true;
    object_.reset();
    return found_;
  }

 private:
  const BlockContext& context_;
  model::Observations& out_;
  std::optional<Object> object_;
  std::int64_t count_ = 0;
  bool found_ = false;
};

}  // namespace

bool parse_kubectl(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                   model::Observations& out) {
  Objects objects(context, out);
  const auto lines = base::lines(block);
  for (std::size_t i = 0; i < lines.size() && i < kMaxLines; ++i) {
    for (const std::string_view line : laid_out(lines[i])) {
      if (!objects.take(line, i)) return objects.finish();
    }
  }
  return objects.finish();
}

}  // namespace gpuwright::parse
