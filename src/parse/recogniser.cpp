// SPDX-License-Identifier: Apache-2.0
#include "parse/recogniser.h"

#include "base/text.h"
#include "parse/event_folder.h"
#include "parse/format.h"
#include "parse/line_prefix.h"
#include "parse/scanner.h"
#include "parse/utf16.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kBufferSize = std::size_t{256} * 1024;
constexpr std::size_t kMaxBlock = std::size_t{4} * 1024 * 1024;
constexpr int kSampledLines = 64;

const Format* find_format(std::string_view id) {
  for (const Format& format : all_formats()) {
    if (id == format.id) return &format;
  }
  return nullptr;
}

/// Where an empty line begins in `text`; npos if none.
std::size_t blank_line(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const std::size_t end = text.find('\n', at + 1);
    const std::string_view next = text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    if (end != std::string_view::npos && base::trim(next).empty()) return at + 1;
  }
  return std::string_view::npos;
}

bool looks_binary(std::string_view text) {
  return text.substr(0, 4096).find('\0') != std::string_view::npos;
}

}  // namespace

/// What is known of the input that is being read.
class InputReader final : public Scanner::Sink {
 public:
  InputReader(const catalog::Catalog& catalog, const FoldPlan& plan, Scanner& scanner,
              const std::string& name, model::Observations& out)
      : catalog_(catalog), scanner_(scanner), out_(out), folder_(catalog, plan, name) {
    input_.input = name;
  }

  /// Takes whole lines (or a piece of an overlong one).
  void chunk(std::string_view text) {
    if (input_.bytes == 0) sample(text);
    input_.bytes += static_cast<std::int64_t>(text.size());
    chunk_ = text;
    block_from_ = 0;
    input_.lines += scanner_.scan(text, input_.lines + 1, *this);
    if (block_) extend_block(text.substr(block_from_));
  }

  void on_match(const Match& match, std::size_t) override { folder_.add(match); }

  void on_block_start(std::size_t format, std::size_t offset, std::int64_t line_number) override {
    if (block_ && (block_->format == format || catalog_.formats()[block_->format].until_end)) return;
    if (block_ && block_->first_line == line_number) return;
    if (block_) {
      extend_block(chunk_.substr(block_from_, offset - block_from_));
      close_block();
    }
    block_ = Block{format, line_number, {}};
    block_from_ = offset;
  }

  void note(std::string text) {
    if (input_.note.empty()) input_.note = std::move(text);
  }

  void finish() {
    if (block_) close_block();
    std::vector<model::Event> events = folder_.take();
    input_.dropped = folder_.dropped();
    input_.events += static_cast<std::int64_t>(events.size());
    for (model::Event& event : events) {
      formats_.insert("lines:" + event.signal.substr(0, event.signal.find('.')));
      out_.events.push_back(std::move(event));
    }
    input_.formats.assign(formats_.begin(), formats_.end());
    out_.inputs.push_back(std::move(input_));
  }

 private:
  struct Block {
    std::size_t format = 0;
    std::int64_t first_line = 0;
    std::string text;
  };

  void sample(std::string_view text) {
    if (looks_binary(text)) note("binary data");
    int logged = 0, kernel = 0, seen = 0;
    for (std::size_t at = 0; at < text.size() && seen < kSampledLines; ++seen) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const LinePrefix prefix = read_line_prefix(text.substr(at, end - at));
      logged += prefix.is_log ? 1 : 0;
      kernel += prefix.is_kernel ? 1 : 0;
      at = end + 1;
    }
    if (kernel > 0) formats_.insert("kernel-log");
    if (kernel == 0 && logged * 2 > seen) formats_.insert("log");
  }

  void extend_block(std::string_view text) {
    block_->text.append(text.substr(0, kMaxBlock - std::min(kMaxBlock, block_->text.size())));
    if (!catalog_.formats()[block_->format].until_blank) return;
    const std::size_t blank = blank_line(block_->text);
    if (blank == std::string::npos) return;
    block_->text.resize(blank);
    close_block();
  }

  void close_block() {
    const Block block = std::move(*block_);
    block_.reset();
    const std::string& id = catalog_.formats()[block.format].id;
    const Format* format = find_format(id);
    if (format == nullptr) return;
    const std::size_t before = out_.events.size();
    if (!format->parse(block.text, BlockContext{input_.input, block.first_line}, catalog_, out_)) return;
    formats_.insert(id);
    input_.events += static_cast<std::int64_t>(std::max<std::size_t>(1, out_.events.size() - before));
  }

  const catalog::Catalog& catalog_;
  Scanner& scanner_;
  model::Observations& out_;
  EventFolder folder_;
  model::RecognisedInput input_;
  std::set<std::string> formats_;
  std::optional<Block> block_;
  std::string_view chunk_;      ///< valid while scan() runs
  std::size_t block_from_ = 0;  ///< where the open block goes on in chunk_
};

struct Recogniser::State {
  explicit State(const catalog::Catalog& c) : catalog(c), plan(c), scanner(c) {}
  const catalog::Catalog& catalog;
  FoldPlan plan;
  Scanner scanner;
  model::Observations observations;
  std::string buffer;
};

Recogniser::Recogniser(const catalog::Catalog& catalog) : state_(std::make_unique<State>(catalog)) {}
Recogniser::~Recogniser() = default;

base::Status Recogniser::add(const std::string& name, base::ByteStream& stream, const Progress& progress) {
  State& state = *state_;
  state.buffer.resize(kBufferSize);
  InputReader reader(state.catalog, state.plan, state.scanner, name, state.observations);
  Utf16Detector utf16;
  std::size_t kept = 0, total = 0;
  base::Status status = base::Done{};
  for (;;) {
    base::Result<std::size_t> count = stream.read(std::span(state.buffer).subspan(kept));
    if (!count) {
      status = count.error();
      break;
    }
    if (*count == 0) break;
    total += *count;
    const std::size_t have = kept + utf16.convert(std::span(state.buffer).subspan(kept, *count));
    const std::size_t line_end = std::string_view(state.buffer).substr(0, have).rfind('\n');
    const std::size_t whole = line_end != std::string_view::npos ? line_end + 1
                              : have == kBufferSize              ? have
                                                                 : 0;
    if (whole > 0) reader.chunk(std::string_view(state.buffer).substr(0, whole));
    std::copy(state.buffer.begin() + static_cast<std::ptrdiff_t>(whole),
              state.buffer.begin() + static_cast<std::ptrdiff_t>(have), state.buffer.begin());
    kept = have - whole;
    if (progress) progress(total);
  }
  if (kept > 0) reader.chunk(std::string_view(state.buffer).substr(0, kept));
  if (utf16.active()) reader.note("UTF-16 text, converted");
  if (!status) reader.note(status.error().message);
  reader.finish();
  return total == 0 ? status : base::Status(base::Done{});
}

model::Observations Recogniser::finish() {
  return std::exchange(state_->observations, {});
}

}  // namespace gpuwright::parse
