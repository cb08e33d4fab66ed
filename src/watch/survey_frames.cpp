// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/survey_frames.h"

#include "base/bytes.h"
#include "base/text.h"

namespace gpuwright::watch {

namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::size_t kText = sizeof(std::uint32_t);  // of an empty one
constexpr std::size_t kNumber = sizeof(std::int64_t);

std::string text_of(ByteReader& from) {
  constexpr std::size_t kMost = 4096;
  return base::printable(from.get_text(), kMost);
}

void put_count(ByteWriter& to, std::size_t count) {
  to.put(static_cast<std::uint32_t>(count));
}

template <class User, class Visit>
void each_text(User& user, Visit visit) {
  for (auto* text : {&user.user, &user.command, &user.container, &user.runtime, &user.pod,
                     &user.pod_namespace, &user.pod_container, &user.pod_uid, &user.pod_qos, &user.slurm_job,
                     &user.slurm_partition, &user.slurm_step, &user.slurm_task, &user.machine, &user.unit,
                     &user.session, &user.why, &user.cgroup})
    visit(*text);
}
constexpr std::size_t kUserTexts = 18;

template <class Device, class Visit>
void each_number(Device& device, Visit visit) {
  for (auto* number :
       {&device.index, &device.gpu_instance, &device.compute_instance, &device.vgpu, &device.replica})
    visit(*number);
}

void put(ByteWriter& to, const parse::GivenDevice& device) {
  each_number(device, [&to](std::int64_t number) { to.put(number); });
  for (const std::string* text : {&device.uuid, &device.pool, &device.device}) to.put_text(*text);
}

parse::GivenDevice device_of(ByteReader& from) {
  parse::GivenDevice device;
  each_number(device, [&from](std::int64_t& number) { number = from.get<std::int64_t>(); });
  for (std::string* text : {&device.uuid, &device.pool, &device.device}) *text = text_of(from);
  return device;
}

}  // namespace

std::string encode(const SurveyQuestion& question) {
  ByteWriter to;
  put_count(to, question.pids.size());
  for (const std::int64_t pid : question.pids) to.put(pid);
  put_count(to, question.skip.size());
  for (const std::string& subject : question.skip) to.put_text(subject);
  return to.take();
}

std::optional<SurveyQuestion> decode_question(std::string_view content) {
  ByteReader from(content);
  SurveyQuestion question;
  question.pids.resize(from.get_count(kNumber));
  for (std::int64_t& pid : question.pids) pid = from.get<std::int64_t>();
  question.skip.resize(from.get_count(kText));
  for (std::string& subject : question.skip) subject = text_of(from);
  return from.ok() ? std::optional(question) : std::nullopt;
}

std::string encode(const std::vector<model::GpuUser>& users) {
  ByteWriter to;
  put_count(to, users.size());
  for (const model::GpuUser& user : users) {
    to.put(user.pid);
    to.put(user.inner_pid);
    to.put(user.cpu_throttled_s);
    to.put(user.mps_server);
    each_text(user, [&to](const std::string& text) { to.put_text(text); });
  }
  return to.take();
}

std::optional<std::vector<model::GpuUser>> decode_users(std::string_view content) {
  ByteReader from(content);
  std::vector<model::GpuUser> users(from.get_count(3 * kNumber + 1 + kUserTexts * kText));
  for (model::GpuUser& user : users) {
    user.pid = from.get<std::int64_t>();
    user.inner_pid = from.get<std::int64_t>();
    user.cpu_throttled_s = from.get<double>();
    user.mps_server = from.get<std::uint8_t>() != 0;
    each_text(user, [&from](std::string& text) { text = text_of(from); });
  }
  return from.ok() ? std::optional(users) : std::nullopt;
}

std::string encode(const std::vector<model::HostSeries>& series) {
  ByteWriter to;
  put_count(to, series.size());
  for (const model::HostSeries& one : series) {
    to.put_text(one.family);
    to.put_text(one.labels);
    to.put(one.value);
  }
  return to.take();
}

std::optional<std::vector<model::HostSeries>> decode_series(std::string_view content) {
  ByteReader from(content);
  std::vector<model::HostSeries> series(from.get_count(2 * kText + sizeof(double)));
  for (model::HostSeries& one : series) {
    one.family = text_of(from);
    one.labels = text_of(from);
    one.value = from.get<double>();
  }
  return from.ok() ? std::optional(series) : std::nullopt;
}

std::string encode(const PodAnswer& answer) {
  ByteWriter to;
  to.put(answer.there);
  to.put_text(answer.why);
  put_count(to, answer.given.size());
  for (const parse::GivenContainer& container : answer.given) {
    for (const std::string* text : {&container.pod_namespace, &container.pod, &container.container})
      to.put_text(*text);
    put_count(to, container.devices.size());
    for (const parse::GivenDevice& device : container.devices) put(to, device);
  }
  return to.take();
}

std::optional<PodAnswer> decode_pods(std::string_view content) {
  ByteReader from(content);
  PodAnswer answer;
  answer.there = from.get<std::uint8_t>() != 0;
  answer.why = text_of(from);
  answer.given.resize(from.get_count(4 * kText));
  for (parse::GivenContainer& container : answer.given) {
    for (std::string* text : {&container.pod_namespace, &container.pod, &container.container})
      *text = text_of(from);
    const std::size_t count = from.get_count(5 * kNumber + 3 * kText);
    for (std::size_t at = 0; at < count; ++at) container.devices.push_back(device_of(from));
  }
  return from.ok() ? std::optional(answer) : std::nullopt;
}

}  // namespace gpuwright::watch
