// GPUDirect RDMA goes by nvidia_peermem, or by dma-buf with the open modules. Source: NVIDIA GPUDirect RDMA
// documentation; NVIDIA DOCA-Host installation guide (order of modules, storage modules that hold them).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_rdma.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

constexpr double kFabricRate = 100;  // Gb/s: slower ports are for management and storage

bool has_fabric(const model::Machine& machine) {
  const auto& ports = model::each(machine.network.rdma_ports);
  return std::any_of(ports.begin(), ports.end(), [](const model::RdmaFacts& port) {
    const bool infiniband = model::key_text(port.link_layer) == "InfiniBand";
    return model::key_text(port.state) == "active" &&
           (port.rate.known() ? port.rate.value() >= kFabricRate : infiniband);
  });
}

/// GeForce and its like have no GPUDirect RDMA.
bool has_data_centre_gpu(const model::Machine& machine) {
  const auto& gpus = model::each(machine.gpus);
  return std::any_of(gpus.begin(), gpus.end(), [](const model::GpuFacts& gpu) {
    const std::string name = model::key_text(gpu.report.name);
    return !name.empty() && !base::contains(name, "GeForce") && !base::contains(name, "TITAN");
  });
}

const model::ModuleFacts* peer_module(const model::Machine& machine) {
  const model::ModuleFacts* module = module_named(machine, "nvidia_peermem");
  return module != nullptr ? module : module_named(machine, "nv_peer_mem");
}

}  // namespace

model::Verdict check_gpudirect(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::NetworkFacts& network = machine.network;
  if (!has_fabric(machine) || !has_data_centre_gpu(machine)) return look.not_applicable();
  const bool* loaded = look.need(network.peer_memory);
  if (loaded == nullptr) return look.conclude();
  const bool open = model::key_text(machine.driver.flavour) == "open";
  const bool by_dma_buf = open && network.dma_buf.known() && network.dma_buf.value();
  if (by_dma_buf) return look.conclude();
  if (*loaded) {
    // Loaded before the other stack replaced ib_core, it serves nobody.
    const model::ModuleFacts* core = module_named(machine, "ib_core");
    const model::ModuleFacts* peer = peer_module(machine);
    if (core != nullptr && peer != nullptr && core->holders.known() &&
        std::count(core->holders.value().begin(), core->holders.value().end(), peer->key()) == 0)
      look.fails("rdma.peer_memory_detached")
          .with("module", peer->key())
          .proof(core->holders)
          .proof(peer->name);
    return look.conclude();
  }
  if (open && look.need(network.dma_buf) == nullptr) return look.conclude();
  look.fails("rdma.gpudirect_off")
      .with("flavour", model::key_text(machine.driver.flavour))
      .proof(network.peer_memory)
      .proof(network.dma_buf)
      .proof(machine.driver.flavour);
  return look.conclude();
}

model::Verdict check_rdma_modules(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const std::string stack = model::key_text(machine.network.rdma_stack);
  const model::ModuleFacts* core = module_named(machine, "mlx5_core");
  if (stack.empty() || stack == "inbox" || core == nullptr) return look.not_applicable();
  // Every module of the vendor's stack needs this one; the kernel's own do not know it.
  if (module_named(machine, "mlx_compat") != nullptr) return look.conclude();
  constexpr std::array<const char*, 7> kStorage = {"nvme_rdma",  "rpcrdma", "ib_isert", "ib_srpt",
                                                   "nvmet_rdma", "ib_iser", "ib_srp"};
  const model::ModuleFacts* holder = nullptr;
  for (const char* name : kStorage) {
    if (holder == nullptr) holder = module_named(machine, name);
  }
  auto failure = look.fails(holder != nullptr ? "rdma.storage_holds_inbox" : "rdma.inbox_loaded");
  failure.with("stack", stack).proof(machine.network.rdma_stack).proof(core->name);
  if (holder != nullptr) failure.with("holder", holder->key()).proof(holder->name);
  return look.conclude();
}

}  // namespace gpuwright::rules
