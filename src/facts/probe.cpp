// SPDX-License-Identifier: Apache-2.0
#include "facts/probe.h"

#include <fmt/core.h>

namespace gpuwright::facts {

AbsentReason reason_of(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::NotFound:
      return AbsentReason::NotFound;
    case base::ErrorKind::Denied:
      return AbsentReason::Denied;
    case base::ErrorKind::TimedOut:
      return AbsentReason::TimedOut;
    case base::ErrorKind::Malformed:
      return AbsentReason::Malformed;
    default:
      return AbsentReason::Unsupported;  // sysfs answers EINVAL or ENODEV for what a device does not have
  }
}

std::int32_t Probe::note(const std::string& input, std::string_view line) {
  constexpr std::size_t kLongest = 200;
  constexpr std::size_t kMost = 100'000;
  if (machine_.places.size() >= kMost) return static_cast<std::int32_t>(kMost);
  model::Evidence place;
  place.input = base::printable(input);
  place.text = base::printable(line.substr(0, line.find('\n')), kLongest);
  machine_.places.push_back(std::move(place));
  return static_cast<std::int32_t>(machine_.places.size());
}

template <class T>
Field<T> Probe::failed(const base::Error& error, const std::string& where) {
  return absent<T>(reason_of(error.kind), where, error.message);
}

Field<std::string> Probe::text(const std::string& path, std::size_t limit) {
  auto content = source_.read_file(path, limit);
  if (!content) return failed<std::string>(content.error(), path);
  std::string trimmed(base::trim(*content));
  const std::string_view line = trimmed;
  const std::int32_t place = note(path, line);
  return Field<std::string>(std::move(trimmed), place);
}

Field<std::int64_t> Probe::integer_of(const Field<std::string>& from) {
  return read_as<std::int64_t>(from, [](const std::string& text) {
    const auto parts = base::words(text);
    return parts.empty() ? std::nullopt : base::parse_int(parts.front());
  });
}

Field<std::int64_t> Probe::integer(const std::string& path) {
  return integer_of(text(path));
}

Field<bool> Probe::flag(const std::string& path) {
  return read_as<bool>(text(path), [](const std::string& word) -> std::optional<bool> {
    if (word == "1" || word == "Y" || word == "y") return true;
    if (word == "0" || word == "N" || word == "n") return false;
    return std::nullopt;
  });
}

Field<std::vector<std::string>> Probe::names(const std::string& path) {
  auto names = source_.list_directory(path);
  if (!names) return failed<std::vector<std::string>>(names.error(), path);
  return found(std::move(*names), path, base::join(*names, " "));
}

Field<std::string> Probe::link_name(const std::string& path) {
  auto target = source_.read_link(path);
  if (!target) return failed<std::string>(target.error(), path);
  const std::size_t slash = target->rfind('/');
  return found(slash == std::string::npos ? *target : target->substr(slash + 1), path, *target);
}

Field<std::string> Probe::said(const std::vector<std::string>& argv, std::chrono::milliseconds deadline) {
  const std::string name = base::join(argv, " ");
  auto answer = source_.run(argv, deadline);
  if (!answer) return failed<std::string>(answer.error(), name);
  if (answer->timed_out)
    return absent<std::string>(AbsentReason::TimedOut, name,
                               fmt::format("no answer after {} ms: killed", deadline.count()));
  if (answer->status != 0) {
    const std::string_view complaint = base::trim(answer->errors.empty() ? answer->output : answer->errors);
    return absent<std::string>(
        AbsentReason::Unsupported, name,
        complaint.empty() ? fmt::format("failed with status {}", answer->status) : std::string(complaint));
  }
  const std::int32_t place = note(name, base::trim(answer->output));
  return Field<std::string>(std::move(answer->output), place);
}

std::vector<std::pair<std::string, std::string>> Probe::written_beside(std::string_view beginning) {
  if (!written_) written_ = source_.further_texts();
  const std::string slug = base::replace_all(std::string(beginning), " ", "_");
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : *written_) {
    const std::string& name = entry.first;
    const bool begins = name.starts_with(slug) && (name.size() == slug.size() || name[slug.size()] == '_');
    if (slug.empty() || begins) found.push_back(entry);
  }
  return found;
}

std::string Probe::written(std::string_view beginning) {
  std::string all;
  for (const auto& entry : written_beside(beginning))
    all += entry.second + (entry.second.ends_with('\n') ? "\n" : "\n\n");
  return all;
}

bool Probe::exists(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const auto names = source_.list_directory(slash == 0 ? "/" : path.substr(0, slash));
  if (!names) return false;
  const std::string name = path.substr(slash + 1);
  for (const std::string& entry : *names) {
    if (entry == name) return true;
  }
  return false;
}

Field<bool> Probe::presence(const std::string& path) {
  const auto names = source_.list_directory(path.substr(0, path.rfind('/')));
  if (!names && !source_.live())
    return absent<bool>(reason_of(names.error().kind), path, names.error().message);
  return found(exists(path), path);
}

Field<std::string> Probe::value_of(const Field<std::string>& from, std::string_view key) {
  if (!from.known()) return from;
  const model::Evidence* place = machine_.place(from.provenance());
  const std::string input = place == nullptr ? std::string() : place->input;
  for (const std::string_view line : base::lines(from.value())) {
    const std::string_view text = base::trim(line);
    if (!text.starts_with(key)) continue;
    const std::string_view rest = base::trim(text.substr(key.size()));
    if (rest.empty() || (rest.front() != ':' && rest.front() != '=')) continue;
    std::string_view value = base::trim(rest.substr(1));
    if (value.size() >= 2 && value.front() == value.back() && (value.front() == '"' || value.front() == '\''))
      value = value.substr(1, value.size() - 2);
    return found(std::string(value), input, line);
  }
  return absent<std::string>(AbsentReason::NotFound, input, fmt::format("has no line \"{}\"", key));
}

}  // namespace gpuwright::facts
