// From pasted output of nvidia-smi and dcgmi to the cause: the false alarms and the false all-clears that
// other monitors are known for.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

std::string first_cause(const std::string& text) {
  const model::Diagnosis diagnosis = diagnose(text);
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
}

/// The only harmless cause, when there is no finding of warning or above.
std::string harmless_cause(const std::string& text) {
  const model::Diagnosis diagnosis = diagnose(text);
  for (const model::Finding& finding : diagnosis.findings)
    if (finding.severity >= model::Severity::Warning) return "finding: " + finding.cause;
  return diagnosis.harmless.empty() ? "" : diagnosis.harmless.front().cause;
}

TEST(SmiCauses, RemapFailureOutranksWhatItExplains) {
  const std::string text =
      "GPU 00000000:3B:00.0\n    Remapped Rows\n        Uncorrectable Error : 9\n        Pending : Yes\n     "
      "   Remapping Failure Occurred : Yes\n"
      "        Bank Remap Availability Histogram\n            None : 1 bank(s)\n";
  EXPECT_EQ(first_cause(text), "gpu-row-remap-failed");
  EXPECT_EQ(diagnose(text).findings.size(), 1U);
}

TEST(SmiCauses, AFullBankIsTheEndOfTheBoard) {
  EXPECT_EQ(first_cause("    Remapped Rows\n        Uncorrectable Error : 8\n        Pending : No\n"
                        "        Bank Remap Availability Histogram\n            None : 1 bank(s)\n"),
            "gpu-row-remap-exhausted");
  EXPECT_EQ(
      first_cause(
          "gpu_bus_id, remapped_rows.uncorrectable, remapped_rows.pending\n00000000:3B:00.0, 512, No\n"),
      "gpu-row-remap-exhausted");
}

TEST(SmiCauses, BillionsOfCorrectedErrorsAreAFaultThoughDcgmSaysHealthy) {
  const model::Diagnosis diagnosis =
      gpuwright::tests::diagnose("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL 9600000000\nOverall Health: Healthy\n");
  ASSERT_EQ(diagnosis.findings.size(), 1U) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].cause, "gpu-corrected-error-storm");
  ASSERT_EQ(diagnosis.findings[0].contradicted.size(), 1U);
  EXPECT_EQ(diagnosis.findings[0].contradicted[0].text, "Overall Health: Healthy");
}

TEST(SmiCauses, NoBridgeOnAPcieBoardIsNoFault) {
  EXPECT_EQ(harmless_cause("GPU 0: NVIDIA A100 80GB PCIe (UUID: GPU-1)\nNVML: Unable to retrieve NVLink "
                           "information as all links are inActive\n"),
            "nvlink-no-bridge");
  EXPECT_EQ(harmless_cause("ErrorCode:DCGM_FR_NVLINK_DOWN GPU:0 GPU 0's NvLink link 0 is currently "
                           "down\n(machine: NVIDIA A100 80GB PCIe)\n"),
            "nvlink-no-bridge");
}

TEST(SmiCauses, TheSameWordsOnABaseboardAreAFault) {
  EXPECT_EQ(first_cause("GPU 5: NVIDIA H200 (UUID: GPU-1)\nNVML: Unable to retrieve NVLink information as "
                        "all links are inActive\n"),
            "nvlink-gpu-links-down");
}

TEST(SmiCauses, WithoutTheBoardTheQuestionStaysOpen) {
  const std::string cause =
      first_cause("NVML: Unable to retrieve NVLink information as all links are inActive\n");
  EXPECT_EQ(cause, "nvlink-all-links-down");
  EXPECT_FALSE(knowledge().cause(cause)->decide.en.empty());
}

TEST(SmiCauses, APassedDiagnosticDoesNotClearDeadLinks) {
  const model::Diagnosis diagnosis = gpuwright::tests::diagnose(
      "|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        D D D D\n\nSuccessfully ran diagnostic for "
      "group.\n"
      "| Diagnostic                | Result |\n| Denylist                  | Pass |\n");
  ASSERT_EQ(diagnosis.findings.size(), 1U) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].cause, "nvlink-all-links-down");
  EXPECT_FALSE(diagnosis.findings[0].contradicted.empty());
}

TEST(SmiCauses, ImexIsNeededOnlyOnRacks) {
  const std::string alarm = "ErrorCode:DCGM_FR_IMEX_UNHEALTHY GPU:0 IMEX daemon status is -3 (not READY)\n";
  EXPECT_EQ(harmless_cause(alarm + "(machine: single-node, H100)\n"), "dcgm-imex-not-needed");
  EXPECT_EQ(harmless_cause(alarm), "dcgm-imex-not-needed");
  EXPECT_EQ(first_cause(alarm + "GPU 0: NVIDIA GB200 (UUID: GPU-1)\n"), "dcgm-imex-down-on-rack");
}

TEST(SmiCauses, ANegativeMarginAloneIsToBeChecked) {
  EXPECT_EQ(first_cause("margin threshold exceeded: GPU-11111111-2222-3333-4444-555555555555 has only -5 °C "
                        "margin left to slowdown (threshold 0 °C)\n"),
            "gpu-margin-doubtful");
}

TEST(SmiCauses, TheRecoveryActionFollowsItsXid) {
  const model::Diagnosis diagnosis = gpuwright::tests::diagnose(
      "index, gpu_recovery_action\n1, Reset\n\n(field 230 last Xid on GPU 1: 120)\nOverall Health: "
      "Healthy\n");
  ASSERT_EQ(diagnosis.findings.size(), 1U) << summary(diagnosis);
  EXPECT_NE(diagnosis.findings[0].cause, "gpu-reset-asked") << "the Xid is the root";
  EXPECT_EQ(first_cause("index, gpu_recovery_action\n1, Reset\n"), "gpu-reset-asked");
}

TEST(SmiCauses, AnIndexAndAnAddressAreOneGpu) {
  const model::Diagnosis diagnosis = gpuwright::tests::diagnose(
      "index, pci.bus_id, gpu_recovery_action\n1, 00000000:5E:00.0, Reset\n\n"
      "[  100.0] NVRM: Xid (PCI:0000:5e:00): 120, pid='<unknown>', name=<unknown>, GSP Error: Task 1 raised "
      "error code 0x5\n");
  ASSERT_EQ(diagnosis.findings.size(), 1U) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].subject.id, "0000:5e:00");
}

TEST(SmiCauses, EndedDriverBranchesAreAnInformation) {
  const std::string head =
      "==============NVSMI LOG==============\nDriver Version                            : ";
  const std::string gpu = "\nGPU 00000000:3B:00.0\n    Product Name                          : Tesla T4\n";
  const model::Diagnosis old = gpuwright::tests::diagnose(head + "460.32.03" + gpu);
  ASSERT_EQ(old.findings.size(), 1U);
  EXPECT_EQ(old.findings[0].cause, "driver-branch-ended");
  EXPECT_EQ(old.findings[0].severity, model::Severity::Info);
  EXPECT_TRUE(gpuwright::tests::diagnose(head + "580.65.06" + gpu).findings.empty());
}

TEST(SmiCauses, MessagesOfNvidiaSmi) {
  EXPECT_EQ(first_cause("Unable to determine the device handle for GPU0: 0000:1B:00.0: Unknown Error\n"),
            "gpu-lost-to-driver");
  EXPECT_EQ(first_cause("WARNING: infoROM is corrupted at gpu 0000:3B:00.0\n"), "gpu-inforom-corrupted");
  EXPECT_EQ(first_cause("GPU 00000000:5D:00.0 is currently in use by another process.\n"),
            "gpu-reset-refused");
  EXPECT_EQ(first_cause("Resetting GPU 00000000:00:1E.0 is not supported.\n"), "gpu-reset-unsupported");
  EXPECT_EQ(first_cause("Failed to initialize NVML: Insufficient External Power\n"),
            "gpu-power-cable-missing");
}

}  // namespace
}  // namespace gpuwright::tests
