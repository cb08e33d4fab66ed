// The columns of typed tables, named once: reading a CSV file and packing its rows walk the same list.
// `visitor` has text(column, string), version(...) for dotted numbers, day(...) for "2026", "2026-06" or
// "2026-06-30", decimal(...) for a number kept as text, number(column, integer), hex(column, integer),
// yes(column, bool) and list(column, texts).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/knowledge.h"
#include "catalog/metric_columns.h"

namespace gpuwright::catalog {

template <class Visitor>
void columns(Visitor& visitor, CudaReleaseRow& row) {
  visitor.version("release", row.release);
  visitor.version("cuda", row.cuda);
  visitor.text("update", row.update);
  visitor.version("bundled_driver", row.bundled_driver);
  visitor.version("floor_driver", row.floor_driver);
  visitor.number("branch", row.branch);
  visitor.text("status", row.status);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, DriverBranchRow& row) {
  visitor.number("branch", row.branch);
  visitor.text("kind", row.kind);
  visitor.day("first_release", row.first_release);
  visitor.version("last_release", row.last_release);
  visitor.day("last_release_date", row.last_release_date);
  visitor.day("eol", row.eol);
  visitor.text("eol_basis", row.eol_basis);
  visitor.version("max_cuda", row.max_cuda);
  visitor.text("open_modules", row.open_modules);
  visitor.text("forward_compat", row.forward_compat);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, ComputeCapabilityRow& row) {
  visitor.version("cc", row.cc);
  visitor.text("arch", row.arch);
  visitor.version("first_cuda", row.first_cuda);
  visitor.version("last_cuda", row.last_cuda);
  visitor.number("first_branch", row.first_branch);
  visitor.number("last_branch", row.last_branch);
  visitor.yes("embedded", row.embedded);
  visitor.text("example", row.example);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, CudaCompilerRow& row) {
  visitor.version("cuda", row.cuda);
  visitor.version("ptx_isa", row.ptx_isa);
  visitor.text("basis", row.basis);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, GpuChipRow& row) {
  visitor.hex("first_id", row.first_id);
  visitor.hex("last_id", row.last_id);
  visitor.text("chip", row.chip);
  visitor.version("cc", row.cc);
  visitor.text("open_modules", row.open_modules);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, GpuBoardRow& row) {
  visitor.text("id", row.id);
  visitor.text("name", row.name);
  visitor.text("arch", row.arch);
  visitor.version("cc", row.cc);
  visitor.number("memory_gb", row.memory_gb);
  visitor.text("memory", row.memory);
  visitor.number("memory_gbs", row.memory_gbs);
  visitor.text("form_factor", row.form_factor);
  visitor.version("nvlink_generation", row.nvlink_generation);
  visitor.number("nvlink_links", row.nvlink_links);
  visitor.version("nvlink_gbs", row.nvlink_gbs);
  visitor.number("pcie_generation", row.pcie_generation);
  visitor.number("pcie_lanes", row.pcie_lanes);
  visitor.number("tdp_w", row.tdp_w);
  visitor.number("power_min_w", row.power_min_w);
  visitor.number("power_max_w", row.power_max_w);
  visitor.yes("data_centre", row.data_centre);
  visitor.text("open_modules", row.open_modules);
  visitor.number("first_branch", row.first_branch);
  visitor.number("last_branch", row.last_branch);
  visitor.text("vgpu", row.vgpu);
  visitor.number("mig_slices", row.mig_slices);
  visitor.list("pci_ids", row.pci_ids);
  visitor.text("confidence", row.confidence);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, CudnnRow& row) {
  visitor.version("cudnn_from", row.cudnn_from);
  visitor.version("cudnn_to", row.cudnn_to);
  visitor.version("cuda_from", row.cuda_from);
  visitor.version("cuda_to", row.cuda_to);
  visitor.version("min_driver", row.min_driver);
  visitor.version("cc_min", row.cc_min);
  visitor.version("cc_max", row.cc_max);
  visitor.text("package", row.package);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, TorchRow& row) {
  visitor.version("torch", row.torch);
  visitor.day("released", row.released);
  visitor.text("wheel", row.wheel);
  visitor.version("cuda", row.cuda);
  visitor.version("cudnn", row.cudnn);
  visitor.text("status", row.status);
  visitor.yes("pypi_default", row.pypi_default);
  visitor.version("python_min", row.python_min);
  visitor.version("python_max", row.python_max);
  visitor.list("cc_x86_64", row.cc_x86_64);
  visitor.list("cc_aarch64", row.cc_aarch64);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, TensorflowRow& row) {
  visitor.version("tensorflow", row.tensorflow);
  visitor.text("python", row.python);
  visitor.version("cuda", row.cuda);
  visitor.version("cudnn", row.cudnn);
  visitor.text("pip_name", row.pip_name);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, OsRow& row) {
  visitor.text("os_id", row.os_id);
  visitor.version("version", row.version);
  visitor.text("repository", row.repository);
  visitor.list("architectures", row.architectures);
  visitor.day("eol", row.eol);
  visitor.day("extended_eol", row.extended_eol);
  visitor.yes("in_guide", row.in_guide);
  visitor.text("family", row.family);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, OsFamilyRow& row) {
  visitor.text("family", row.family);
  visitor.text("repository_setup", row.repository_setup);
  visitor.text("headers", row.headers);
  visitor.text("install_open", row.install_open);
  visitor.text("install_proprietary", row.install_proprietary);
  visitor.text("pin_branch", row.pin_branch);
  visitor.text("switch_flavour", row.switch_flavour);
  visitor.text("cuda_toolkit", row.cuda_toolkit);
  visitor.text("fabric_manager", row.fabric_manager);
  visitor.text("initramfs", row.initramfs);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, ImageFamilyRow& row) {
  visitor.text("family", row.family);
  visitor.list("images", row.images);
  visitor.list("forms", row.forms);
  visitor.list("flavours", row.flavours);
  visitor.list("distributions", row.distributions);
  visitor.text("example", row.example);
  visitor.day("as_of", row.as_of);
  visitor.text("source", row.source);
  visitor.text("note", row.note);
}

template <class Visitor>
void columns(Visitor& visitor, ImageDistributionRow& row) {
  visitor.text("distribution", row.distribution);
  visitor.version("first_cuda", row.first_cuda);
  visitor.version("last_cuda", row.last_cuda);
  visitor.text("source", row.source);
}

template <class Visitor>
void columns(Visitor& visitor, ThresholdRow& row) {
  visitor.text("id", row.id);
  visitor.decimal("value", row.value);
  visitor.text("unit", row.unit);
  visitor.text("applies_to", row.applies_to);
  visitor.text("reason", row.reason);
  visitor.text("source", row.source);
}

/// Reads one file into its typed table. False: it has none. Malformed with `file:line` for a column that is
/// missing or unknown, a value of the wrong form, or a row without source.
base::Result<bool> add_typed_table(Tables& tables, const KnowledgeFile& file);

/// Sorts what is looked up, and refuses two rows of one branch or threshold, and chips whose ids overlap.
base::Status finish_typed_tables(Tables& tables);

}  // namespace gpuwright::catalog
