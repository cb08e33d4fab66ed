// Splitting a bug report; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/bug_report.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr std::size_t kRule = 20;  // underscores; the script prints 44
constexpr std::size_t kMaxSections = 20000;
constexpr std::size_t kMaxTitle = 300;
constexpr std::size_t kMaxAnswer = std::size_t{64} << 20;

bool is_rule(std::string_view line) {
  return line.size() >= kRule && line.find_first_not_of('_') == std::string_view::npos;
}

/// The path of a "*** /path" line, without a trailing remark; empty if it is none.
std::string_view starred_path(std::string_view line) {
  if (!line.starts_with("*** /")) return {};
  const auto path = line.substr(4);
  return path.substr(0, path.find(' '));
}

bool says_absent(std::string_view line) {
  return line.starts_with("***") &&
         (base::contains(line, "does not exist") || base::contains(line, "No such file") ||
          base::contains(line, "not found"));
}

std::string title_of(std::string_view line) {
  auto title = base::trim(line).substr(0, kMaxTitle);
  while (title.ends_with(':')) title.remove_suffix(1);
  // "/usr/bin/nvidia-smi --query": where the tool lies says nothing.
  const auto tool = title.substr(0, title.find(' '));
  if (tool.starts_with('/')) title.remove_prefix(tool.rfind('/') + 1);
  return std::string(title);
}

/// Walks over the lines and closes a section whenever a header begins the next one.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) { current_.command = "beginning"; }

  std::vector<BugReportSection> run() {
    std::size_t at = 0;
    while (at < text_.size() && sections_.size() < kMaxSections) {
      const auto line_end = std::min(text_.find('\n', at), text_.size());
      auto line = text_.substr(at, line_end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(line, at, std::min(line_end + 1, text_.size()));
      at = line_end + 1;
    }
    close(text_.size());
    return std::move(sections_);
  }

 private:
  void take(std::string_view line, std::size_t begin, std::size_t behind) {
    const auto path = starred_path(line);
    if (is_rule(line)) {
      close(begin);
      current_ = {};
      content_begin_ = behind;
      title_wanted_ = true;
    } else if (!path.empty() && !(in_stars_ && normal_path(std::string(path)) == current_.path)) {
      // Some sections follow each other without a rule between them.
      if (!title_wanted_) close(begin);
      current_ = {};
      current_.path = normal_path(std::string(path));
      current_.absent = says_absent(line);
      content_begin_ = behind;
      title_wanted_ = false;
      in_stars_ = true;
    } else if (in_stars_ && line.starts_with("***")) {
      current_.absent = current_.absent || says_absent(line);  // "*** ls: -r--r--r-- 1 root root 0 ..."
      content_begin_ = behind;
    } else if (title_wanted_ && !base::trim(line).empty()) {
      current_.command = title_of(line);
      content_begin_ = behind;
      title_wanted_ = false;
      in_stars_ = false;
    } else if (!base::trim(line).empty()) {
      in_stars_ = false;
    }
  }

  void close(std::size_t end) {
    const std::size_t begin = std::min(content_begin_, end);
    const bool named = !current_.path.empty() || !current_.command.empty();
    const bool empty = base::trim(text_.substr(begin, end - begin)).empty();
    if (named && (!empty || current_.absent)) {
      current_.content = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin)};
      sections_.push_back(current_);
    }
    current_ = {};
    content_begin_ = end;
    in_stars_ = false;
  }

  std::string_view text_;
  std::vector<BugReportSection> sections_;
  BugReportSection current_;
  std::size_t content_begin_ = 0;
  bool title_wanted_ = false;
  bool in_stars_ = false;  // directly behind a "*** /path" line
};

/// A command line in one spelling: the tool without its folder, no quotes, long options of nvidia-smi short.
std::string spelling(std::string_view command) {
  std::vector<std::string> parts;
  for (const auto word : base::words(command)) {
    std::string part(word);
    part.erase(std::remove(part.begin(), part.end(), '"'), part.end());
    if (parts.empty()) part.erase(0, part.rfind('/') + 1);
    if (part == "--query") part = "-q";
    parts.push_back(std::move(part));
  }
  return base::join(parts, " ");
}

}  // namespace

bool looks_like_bug_report(std::string_view beginning) {
  if (base::contains(beginning, "Start of NVIDIA bug report log file")) return true;
  // Cut off at the front: a rule, and a starred path with its ls line.
  const auto star = beginning.find("\n*** /");
  return base::contains(beginning, "\n____________________") && star != std::string_view::npos &&
         base::contains(beginning.substr(star), "\n*** ls: ");
}

std::vector<BugReportSection> split_bug_report(std::string_view text) {
  return Splitter(text).run();
}

Result<std::unique_ptr<BugReport>> BugReport::open(std::shared_ptr<Spool> spool) {
  GPUWRIGHT_TRY(const auto text, spool->view());
  std::unique_ptr<BugReport> report(new BugReport(std::move(spool)));
  report->sections_ = split_bug_report(text);
  return report;
}

Result<std::string> BugReport::text_of(const BugReportSection& section) const {
  const auto stream = spool_->open(section.content);
  return base::read_all(*stream, kMaxAnswer);
}

Result<std::unique_ptr<base::ByteStream>> BugReport::open_file(const std::string& path) {
  const std::string wanted = normal_path(path);
  for (const auto& section : sections_) {
    if (section.path != wanted) continue;
    if (section.absent) return make_error(ErrorKind::NotFound, "does not exist, says the bug report", path);
    return spool_->open(section.content);
  }
  return make_error(ErrorKind::NotFound, "is not in the bug report", path);
}

Result<std::vector<std::string>> BugReport::list_directory(const std::string& path) {
  const std::string folder = normal_path(path) == "/" ? "/" : normal_path(path) + "/";
  std::set<std::string> names;
  for (const auto& section : sections_) {
    if (section.absent || !section.path.starts_with(folder)) continue;
    const auto rest = section.path.substr(folder.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  if (names.empty()) return make_error(ErrorKind::NotFound, "is not in the bug report", path);
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::string> BugReport::read_link(const std::string& path) {
  return make_error(ErrorKind::Unsupported, "a bug report holds no links", path);
}

Result<CommandAnswer> BugReport::run(const std::vector<std::string>& argv, std::chrono::milliseconds) {
  const std::string wanted = spelling(base::join(argv, " "));
  for (const auto& section : sections_) {
    if (!section.path.empty() || spelling(section.command) != wanted) continue;
    CommandAnswer answer;
    GPUWRIGHT_TRY(answer.output, text_of(section));
    return answer;
  }
  return make_error(ErrorKind::NotFound, "is not in the bug report", argv.empty() ? "" : argv.front());
}

Result<KernelLog> BugReport::kernel_log() {
  for (const auto& section : sections_) {
    const std::string command = spelling(section.command);
    if (!section.path.empty() ||
        !(command == "dmesg" || command.starts_with("dmesg ") || command.starts_with("journalctl -k")))
      continue;
    KernelLog log;
    GPUWRIGHT_TRY(log.text, text_of(section));
    log.records = std::count(log.text.begin(), log.text.end(), '\n');
    return log;
  }
  return make_error(ErrorKind::NotFound, "the bug report holds no kernel log", "dmesg");
}

}  // namespace gpuwright::host
