// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/survey_worker.h"

#include "base/bytes.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/process.h"
#include "base/text.h"
#include "kit/http2.h"
#include "watch/attribution.h"
#include "watch/host_series.h"
#include "watch/survey_frames.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

namespace gpuwright::watch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kScontrol{3000};

double processor_time() {
  timespec time = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  constexpr double kNano = 1e-9;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNano;
}

std::string ask_scontrol(const std::string& job) {
  base::ProcessOptions options;
  options.deadline = kScontrol;
  options.output_limit = std::size_t{64} << 10;
  options.whole_environment = true;  // SLURM_CONF
  const auto ran = base::run_process({"scontrol", "-o", "show", "job", job}, options);
  return ran && ran->status == 0 ? ran->output : std::string();
}

class Worker {
 public:
  Worker(int fd, const SurveyJob& job)
      : fd_(fd),
        job_(job),
        host_(job.root),
        attribution_(
            job.root, [this](const std::string& subject) { return begin(subject); },
            job.ask_slurm && base::find_tool("scontrol") ? AskJob(ask_scontrol) : AskJob()),
        pods_wait_(job.pods_every) {}

  void run() {
    while (const auto question = next_question()) {
      const double before = processor_time();
      skip_ = question->skip;
      tell(SurveyTag::Users, encode(attribution_.look(question->pids)));
      for (const HostReader& reader : host_readers()) {
        if (begin(std::string("host/") + reader.name)) reader.read(host_);
      }
      tell(SurveyTag::Series, encode(host_.take()));
      if (Clock::now() >= pods_due_ && begin("kubelet/pods")) ask_pods();
      base::ByteWriter cost;
      cost.put(processor_time() - before);
      tell(SurveyTag::Done, cost.bytes());
    }
  }

 private:
  std::optional<SurveyQuestion> next_question() {
    for (;;) {
      std::string_view rest = pending_;
      bool broken = false;
      if (const auto frame = base::take_frame(rest, broken)) {
        auto question = decode_question(frame->content);
        pending_.erase(0, pending_.size() - rest.size());
        return question;
      }
      if (broken) return std::nullopt;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      pending_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  void tell(SurveyTag tag, std::string_view content) const {
    (void)base::write_all(fd_, base::frame_bytes(static_cast<char>(tag), content), "surveyor");
  }

  bool begin(const std::string& subject) const {
    const std::string whole_class = subject.substr(0, subject.find('/') + 1);
    for (const std::string& skipped : skip_) {
      if (skipped == subject || skipped == whole_class) return false;
    }
    tell(SurveyTag::Begins, subject);
    return true;
  }

  /// One long-lived connection; not more often than it is worth.
  void ask_pods() {
    PodAnswer answer;
    const auto socket =
        std::find_if(job_.pod_sockets.begin(), job_.pod_sockets.end(), [&answer](const std::string& path) {
          const auto kind = base::kind_behind(path);
          if (!kind && kind.error().kind == base::ErrorKind::Denied) answer.why = kind.error().text();
          return kind.ok();
        });
    if (socket == job_.pod_sockets.end()) {
      channel_.reset();
      pods_due_ = Clock::now() + job_.pods_every;
      return tell(SurveyTag::Pods, encode(answer));
    }
    answer.there = true;
    if (!channel_ || channel_path_ != *socket) {
      channel_ = std::make_unique<kit::GrpcChannel>(*socket);
      channel_path_ = *socket;
    }
    kit::GrpcLimits limits;
    limits.deadline = job_.pods_deadline;
    const auto message = channel_->call("/v1.PodResourcesLister/List", {}, limits);
    auto given = message ? parse::read_pod_resources(*message)
                         : base::Result<std::vector<parse::GivenContainer>>(message.error());
    constexpr int kLongest = 10, kLonger = 2;
    pods_wait_ = given ? job_.pods_every : std::min(pods_wait_ * kLonger, job_.pods_every * kLongest);
    pods_due_ = Clock::now() + pods_wait_;
    if (given)
      answer.given = std::move(*given);
    else
      answer.why = given.error().text();
    tell(SurveyTag::Pods, encode(answer));
  }

  int fd_;
  const SurveyJob& job_;
  std::vector<std::string> skip_;
  HostLook host_;
  Attribution attribution_;
  std::string pending_;
  std::unique_ptr<kit::GrpcChannel> channel_;
  std::string channel_path_;
  Clock::time_point pods_due_{};
  std::chrono::milliseconds pods_wait_;
};

}  // namespace

void run_survey_worker(int fd, const SurveyJob& job) {
  Worker worker(fd, job);
  worker.run();
}

}  // namespace gpuwright::watch
