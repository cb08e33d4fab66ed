// Out-of-memory reports of every generation, and what is none.
// SPDX-License-Identifier: Apache-2.0
#include "parse/memory_report.h"

#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using parse::parse_amount;
using parse::parse_memory_report;

constexpr std::int64_t kMib = 1024 * 1024;

std::int64_t bytes(const model::Field<base::Bytes>& field) {
  return field.known() ? field.value().count() : -1;
}

TEST(Amount, UnitsCountIn1024) {
  EXPECT_EQ(parse_amount("1.50 GiB free")->count(), 1536 * kMib);
  EXPECT_EQ(parse_amount("0 bytes")->count(), 0);
  EXPECT_EQ(parse_amount("2.00GiB (rounded")->count(), 2048 * kMib);
  EXPECT_EQ(parse_amount("1G (1073741824 bytes)")->count(), 1024 * kMib);
}

TEST(Amount, NonsenseIsNoAmount) {
  for (const char* text : {"", "GiB", "12", "1.2.3 GiB", "99999999999 TiB", "-1 GiB"})
    EXPECT_FALSE(parse_amount(text)) << text;
}

TEST(MemoryReport, OldListGivesWhatIsReservedButUnused) {
  const model::MemoryReport report = parse_memory_report(
      "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 3; 16.00 GiB total capacity; 10.00 "
      "GiB "
      "already allocated; 3.00 MiB free; 12.00 GiB reserved in total by PyTorch) If reserved memory is");
  EXPECT_EQ(report.gpu_index.value(), 3);
  EXPECT_EQ(bytes(report.asked), 20 * kMib);
  EXPECT_EQ(bytes(report.total), 16 * 1024 * kMib);
  EXPECT_EQ(bytes(report.allocated), 10 * 1024 * kMib);
  EXPECT_EQ(bytes(report.free), 3 * kMib);
  EXPECT_EQ(bytes(report.unallocated), 2 * 1024 * kMib);
}

TEST(MemoryReport, OldestListSaysCached) {
  const model::MemoryReport report = parse_memory_report(
      "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total capacity; 5.00 GiB already "
      "allocated; "
      "0 bytes free; 6.00 GiB cached)");
  EXPECT_EQ(bytes(report.unallocated), 1024 * kMib);
  EXPECT_EQ(bytes(report.free), 0);
}

TEST(MemoryReport, SentencesGivePoolsAndMemoryBesidePyTorch) {
  const model::MemoryReport report = parse_memory_report(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total capacity of "
      "80.00 GiB "
      "of which 1.00 GiB is free. Including non-PyTorch memory, this process has 70.00 GiB memory in use. "
      "Process 77 "
      "has 9.00 GiB memory in use. Of the allocated memory 40.00 GiB is allocated by PyTorch, with 4.00 GiB "
      "allocated "
      "in private pools (e.g., CUDA Graphs), and 8.00 GiB is reserved by PyTorch but unallocated.");
  EXPECT_EQ(report.gpu_index.value(), 5);
  EXPECT_EQ(bytes(report.in_use), 70 * 1024 * kMib);
  EXPECT_EQ(bytes(report.others), 9 * 1024 * kMib);
  EXPECT_EQ(bytes(report.private_pools), 4 * 1024 * kMib);
  EXPECT_EQ(bytes(report.unallocated), 8 * 1024 * kMib);
}

TEST(MemoryReport, OwnProcessUnderAForeignIdIsNoOtherProcess) {
  const model::MemoryReport report = parse_memory_report(
      "CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacty of 47.00 GiB of which "
      "16.00 MiB is "
      "free. Process 365 has 46.90 GiB memory in use. Of the allocated memory 46.00 GiB is allocated by "
      "PyTorch, and "
      "57.00 MiB is reserved by PyTorch but unallocated.");
  EXPECT_FALSE(report.others.known());
  EXPECT_TRUE(report.in_use.known());
  EXPECT_EQ(bytes(report.total), 47 * 1024 * kMib);
}

TEST(MemoryReport, TensorFlowAndJaxTellOnlyWhatWasAsked) {
  const model::MemoryReport tf = parse_memory_report(
      "Allocator (GPU_1_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested "
      "by op");
  EXPECT_EQ(tf.framework, "tf");
  EXPECT_EQ(tf.gpu_index.value(), 1);
  EXPECT_EQ(bytes(tf.asked), 2048 * kMib);
  const model::MemoryReport jax =
      parse_memory_report("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1048576 bytes.");
  EXPECT_EQ(jax.framework, "jax");
  EXPECT_EQ(bytes(jax.asked), kMib);
  EXPECT_FALSE(jax.total.known());
}

TEST(MemoryReport, EveryCutOfALineIsRead) {
  const std::string line =
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total capacity of 80.00 GiB of which 1.00 "
      "GiB is "
      "free. Process 1 has 1.00 GiB memory in use. Of the allocated memory 40.00 GiB is allocated by "
      "PyTorch, and "
      "8.00 GiB is reserved by PyTorch but unallocated.";
  for (std::size_t length = 0; length <= line.size(); ++length) {
    const model::MemoryReport report = parse_memory_report(line.substr(0, length));
    EXPECT_LE(bytes(report.asked), 2048 * kMib);
  }
}

TEST(CudaNumber, BareNumberIsNamed) {
  const auto events = observe("cudaGetDeviceCount returned 802\n").events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "cuda.error_802");
  EXPECT_EQ(events[0].params.at("code"), "802");
}

TEST(CudaNumber, WordsBesideTheNumberAreNotCountedTwice) {
  const auto events = observe("NCCL WARN Cuda failure 802 'system not yet initialized'\n").events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "cuda.error_802");
}

TEST(CudaNumber, UnknownNumberStaysASymptomAndZeroIsNothing) {
  const auto unknown = observe("cuInit returned 4242\n").events;
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].signal, "cuda.symptom.other");
  EXPECT_TRUE(observe("cuInit returned 0\n").events.empty());
}

}  // namespace
}  // namespace gpuwright::tests
