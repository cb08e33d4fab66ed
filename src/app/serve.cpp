// `gpuwright serve`: watch this machine.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/daemon.h"
#include "app/history_path.h"
#include "app/knowledge.h"
#include "app/time_option.h"
#include "base/files.h"
#include "base/text.h"
#include "parse/dcgm_counters.h"

#include <fmt/core.h>

#include <optional>

namespace gpuwright::app {

namespace {

struct ServeCommand {
  std::string listen = "127.0.0.1:9400";
  std::string metrics_listen;
  std::string token_file, write_token_file;
  std::string certificate, key, client_authorities;
  std::vector<std::string> names;
  std::string compat, dcgm_names = "old", counters, host_label = "Hostname";
  bool dcgm_users = false;
  std::string often = "1s", whole = "5s", deadline = "500ms", look = "5min";
  std::string kernel_log = "/dev/kmsg";
  std::string history;
  bool no_history = false;
  std::string webhook, webhook_header_file, alertmanager, resend = "1min";
  std::string data;
};

base::Error bad(const std::string& option, const std::string& why) {
  return base::make_error(base::ErrorKind::Malformed, why, option);
}

base::Result<server::Settings> settings_of(const ServeCommand& command) {
  server::Settings settings;
  GPUWRIGHT_TRY(settings.listen, server::parse_listen(command.listen));
  if (!command.metrics_listen.empty()) {
    GPUWRIGHT_TRY(settings.metrics_listen, server::parse_listen(command.metrics_listen));
  }
  settings.token_file = command.token_file;
  settings.write_token_file = command.write_token_file;
  settings.names = command.names;
  if (command.certificate.empty() != command.key.empty())
    return bad("--tls-cert", "certificate and key go together: --tls-cert FILE --tls-key FILE");
  if (!command.certificate.empty())
    settings.tls = kit::TlsFiles{command.certificate, command.key, command.client_authorities};
  else if (!command.client_authorities.empty())
    return bad("--tls-client-ca", "needs --tls-cert and --tls-key");
  return settings;
}

base::Result<DaemonOptions> options_of(const ServeCommand& command) {
  constexpr std::chrono::milliseconds kLeastPeriod{100}, kLeastDeadline{10};
  DaemonOptions options;
  GPUWRIGHT_TRY(options.settings, settings_of(command));
  GPUWRIGHT_TRY(options.node.often, time_option("--period", command.often, kLeastPeriod));
  GPUWRIGHT_TRY(options.node.whole, time_option("--whole-period", command.whole, kLeastPeriod));
  GPUWRIGHT_TRY(options.node.sampler.gpu, time_option("--gpu-deadline", command.deadline, kLeastDeadline));
  if (options.node.whole < options.node.often) return bad("--whole-period", "is not shorter than --period");
  options.dcgm = command.compat == "dcgm";
  options.host_label = command.host_label;
  options.dcgm_user_labels = command.dcgm_users;
  options.node.kernel_log = command.kernel_log;
  constexpr std::chrono::milliseconds kLeastLook{1000};
  GPUWRIGHT_TRY(options.node.looker.period, time_option("--look-period", command.look, kLeastLook));
  GPUWRIGHT_TRY(options.node.looker.program, base::read_link("/proc/self/exe"));
  options.node.looker.data = command.data;
  if (command.no_history && !command.history.empty()) return bad("--no-history", "contradicts --history");
  ReceiversOptions& receivers = options.node.receivers;
  receivers.webhook = command.webhook;
  receivers.webhook_header_file = command.webhook_header_file;
  receivers.alertmanager = command.alertmanager;
  GPUWRIGHT_TRY([[maybe_unused]] const auto checked, check_receivers(receivers));
  constexpr std::chrono::milliseconds kLeastResend{1000};
  GPUWRIGHT_TRY(receivers.resend, time_option("--alert-resend", command.resend, kLeastResend));
  options.node.history.wanted = !command.no_history;
  options.node.history.historian.child.path = command.history.empty() ? history_to_write() : command.history;
  return options;
}

/// DCGM's fields: of the operator's own list, else those of dcgm-exporter.
base::Status add_fields(const ServeCommand& command, const catalog::Catalog& catalog, const Console& console,
                        watch::WatchPlan& plan) {
  constexpr std::size_t kMostList = std::size_t{1} << 20;
  std::vector<watch::WantedField> wanted =
      watch::default_fields(catalog.metrics(), command.dcgm_names == "new");
  if (!command.counters.empty()) {
    GPUWRIGHT_TRY(const auto text, base::read_file(command.counters, kMostList));
    GPUWRIGHT_TRY(const auto counters, parse::parse_dcgm_counters(text, command.counters));
    wanted.clear();
    for (const parse::DcgmCounter& counter : counters) wanted.push_back({counter.name, counter.help});
  }
  GPUWRIGHT_TRY(const auto unknown, watch::plan_fields(catalog.metrics(), wanted, plan));
  if (!unknown.empty())
    console.talk(fmt::format("{}: nothing answers {} here; left out",
                             command.counters.empty() ? "dcgm" : command.counters,
                             base::join(unknown, ", ")));
  return base::Done{};
}

void declare(CommandLine& line, ServeCommand& command) {
  line.option("--listen", command.listen, "ADDR:PORT",
              "where; another address than loopback needs a token or a client CA (default 127.0.0.1:9400)");
  line.option("--metrics-listen", command.metrics_listen, "ADDR:PORT",
              "also serve /metrics, /healthz and /readyz here, to everybody");
  line.option("--token-file", command.token_file, "FILE", "who reads needs the token in it");
  line.option("--write-token-file", command.write_token_file, "FILE",
              "who changes something needs the token in it");
  line.option("--tls-cert", command.certificate, "FILE", "serve HTTPS with this certificate (PEM)");
  line.option("--tls-key", command.key, "FILE", "its key");
  line.option("--tls-client-ca", command.client_authorities, "FILE",
              "clients need a certificate of these authorities");
  line.choice("--compat", command.compat, {"dcgm"}, "print DCGM's names beside our own");
  line.choice("--dcgm-names", command.dcgm_names, {"old", "new"}, "spelling: before DCGM 4.6, or since");
  line.option("--dcgm-counters", command.counters, "FILE",
              "which of DCGM's fields: a list as dcgm-exporter has it");
  line.option("--host-label", command.host_label, "NAME", "of DCGM's series: Hostname (default) or hostname");
  line.flag("--dcgm-users", command.dcgm_users,
            "DCGM's series of a GPU with one user name its pod, namespace, container or hpc_job");
  line.option("--period", command.often, "TIME", "between samples of what decides about health (default 1s)");
  line.option("--whole-period", command.whole, "TIME", "of all values (default 5s)");
  line.option("--gpu-deadline", command.deadline, "TIME",
              "a GPU that does not answer for so long hangs (default 500ms)");
  line.option(
      "--look-period", command.look, "TIME",
      "between looks of doctor at the whole machine; one comes also when something happens (default 5min)");
  line.option("--kernel-log", command.kernel_log, "FILE", "the kernel's log (default /dev/kmsg)");
  line.option("--history", command.history, "PATH",
              "keep the history in this file (default /var/lib/gpuwright/history.db)");
  line.flag("--no-history", command.no_history, "keep none");
  line.option("--webhook", command.webhook, "URL",
              "post JSON when an incident begins, changes or ends (docs/schema/webhook.schema.json)");
  line.option("--webhook-header-file", command.webhook_header_file, "FILE",
              "with the headers in it, as 'Authorization: Bearer ...'");
  line.option("--alertmanager", command.alertmanager, "URL", "tell this Alertmanager of incidents");
  line.option("--alert-resend", command.resend, "TIME",
              "tell it of open ones again after so long (default 1min)");
  line.option("--data", command.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright serve", "metrics on http://127.0.0.1:9400/metrics");
  line.example("gpuwright serve --metrics-listen 0.0.0.0:9400 --compat dcgm", "in place of a dcgm-exporter");
}

}  // namespace

int run_serve(const std::vector<std::string>& arguments, const Console& console) {
  ServeCommand command;
  CommandLine line("serve", "Watch this machine: metrics of its GPUs, and their health.");
  declare(line, command);
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(command.data);
  if (!catalog) return console.usage_error(catalog.error());
  auto options = options_of(command);
  if (!options) return console.usage_error(options.error());
  auto plan = watch::plan_series(catalog->metrics());
  if (!plan) return console.usage_error(plan.error());
  if (options->dcgm) {
    if (const auto added = add_fields(command, *catalog, console, *plan); !added)
      return console.usage_error(added.error());
  }
  options->node.log = [&console](const std::string& text) { console.talk(text); };
  Daemon daemon(*catalog, *plan, std::move(*options));
  if (const auto opened = daemon.open(); !opened) return console.usage_error(opened.error());
  for (const std::string& note : daemon.notes()) console.talk(note);
  daemon.run();
  return kFine;
}

}  // namespace gpuwright::app
