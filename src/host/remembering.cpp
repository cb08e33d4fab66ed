// SPDX-License-Identifier: Apache-2.0
#include "host/remembering.h"

namespace gpuwright::host {

namespace {

constexpr std::size_t kKept = std::size_t{1} << 20;

/// The remembered answer, or that of `ask`, which is then remembered.
template <class Answer, class Ask>
base::Result<Answer> once(std::map<std::string, base::Result<Answer>>& memory, const std::string& key,
                          const Ask& ask) {
  const auto known = memory.find(key);
  if (known != memory.end()) return known->second;
  return memory.emplace(key, ask()).first->second;
}

}  // namespace

base::Result<std::string> Remembering::read_file(const std::string& path, std::size_t limit) {
  const auto known = files_.find(path);
  if (known == files_.end()) {
    auto content = inner_->read_file(path, limit);
    const bool whole = content ? content->size() <= kKept
                               : content.error().kind != base::ErrorKind::Malformed;  // else: too large
    if (whole) files_.emplace(path, content);
    return content;
  }
  if (known->second && known->second->size() > limit) return Source::read_file(path, limit);
  return known->second;
}

base::Result<std::unique_ptr<base::ByteStream>> Remembering::open_file(const std::string& path) {
  const auto known = files_.find(path);
  if (known == files_.end()) return inner_->open_file(path);
  if (!known->second) return known->second.error();
  return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(*known->second));
}

base::Result<std::vector<std::string>> Remembering::list_directory(const std::string& path) {
  return once(folders_, path, [&] { return inner_->list_directory(path); });
}

base::Result<std::string> Remembering::read_link(const std::string& path) {
  return once(links_, path, [&] { return inner_->read_link(path); });
}

void Remembering::expect(const std::vector<ToolCall>& calls) {
  std::vector<ToolCall> unknown;
  for (const ToolCall& call : calls) {
    if (commands_.count(command_slug(call.argv)) == 0) unknown.push_back(call);
  }
  inner_->expect(unknown);
}

base::Result<CommandAnswer> Remembering::run(const std::vector<std::string>& argv,
                                             std::chrono::milliseconds deadline) {
  return once(commands_, command_slug(argv), [&] { return inner_->run(argv, deadline); });
}

base::Result<std::string> Remembering::gpu_answers() {
  if (!gpus_) gpus_ = inner_->gpu_answers();
  return *gpus_;
}

}  // namespace gpuwright::host
