// From lines of the NVIDIA driver to the root cause: one incident for one fault, and the right thing to do
// now.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <ostream>

namespace gpuwright::tests {
namespace {

struct Example {
  const char* name;
  const char* cause;  ///< of the first finding; for a harmless one, of the first harmless
  const char* action;
  std::size_t incidents;
  const char* text;
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

class XidCause : public ::testing::TestWithParam<Example> {};

TEST_P(XidCause, IsNamedFirstAndOnce) {
  const Example& example = GetParam();
  const model::Diagnosis diagnosis = diagnose(std::string(example.text));
  ASSERT_EQ(diagnosis.findings.size(), example.incidents) << summary(diagnosis);
  const std::vector<model::Finding>& list = example.incidents == 0 ? diagnosis.harmless : diagnosis.findings;
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.front().cause, example.cause) << summary(diagnosis);
  const catalog::Cause* cause = knowledge().cause(list.front().cause);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->action_now, example.action);
}

const Example kExamples[] = {
    {"LostWithoutXid", "gpu-lost-from-bus", "reboot", 1,
     "[5.0] NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n"
     "[5.1] NVRM: krcRcAndNotifyAllChannels_IMPL: RC all channels for critical error 79.\n"
     "[5.2] NVRM: _threadNodeCheckTimeout: API_GPU_ATTACHED_SANITY_CHECK failed!\n"
     "[5.3] NVRM: _issueRpcAndWait: rpcSendMessage failed with status 0x0000000f for fn 78 sequence 1703!\n"},
    {"LostKnownByTheNoticeAlone", "gpu-lost-from-bus", "reboot", 1,
     "NVRM: krcRcAndNotifyAllChannels_IMPL: RC all channels for critical error 79.\n"},
    {"LostWithFollowers", "gpu-lost-from-bus", "reboot", 1,
     "[5.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
     "[5.1] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot "
     "Required)\n"
     "[5.2] NVRM: Xid (PCI:0000:5d:00): 45, pid=2, name=b, Ch 00000001\n"
     "[6.0] nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"},
    {"SeveralLostAtOnce", "gpus-lost-together", "reboot", 1,
     "[5.0] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
     "[5.2] NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.\n"
     "[5.4] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.\n"},
    {"GspTimeout", "gsp-not-answering", "reset-gpu", 1,
     "[5.0] NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=a, Timeout after 6s of waiting for RPC response "
     "from GPU4 GSP! Expected function 103 "
     "(GSP_RM_ALLOC) (0x2081 0x4).\n"
     "[9.0] NVRM: Rate limiting GSP RPC error prints for GPU at PCI:0000:3b:00 (printing 1 of every 30).  "
     "The GPU likely needs to be reset.\n"},
    {"GspHeartbeatInsteadOfXid", "gsp-not-answering", "reset-gpu", 1,
     "[5.0] NVRM: _kgspIsHeartbeatTimedOut: Heartbeat timed out, currentTimeMs = 20\n"
     "[5.1] NVRM: _kgspRpcRecvPoll: GSP RM heartbeat timed out\n"
     "[5.2] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)\n"},
    {"GspBackToBack", "gsp-not-answering", "reset-gpu", 1,
     "NVRM: nvAssertFailedNoLog: Assertion failed: Back to back GSP RPC timeout detected! GPU marked for "
     "reset @ kernel_gsp.c:1\n"
     "NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED] (0x00000062) "
     "returned from pRmApi\n"},
    {"GspCrash", "gsp-crashed", "reset-gpu", 1,
     "[5.0] NVRM: Xid (PCI:0000:3b:00): 120, pid=1, name=a, GSP task exception: load access fault "
     "(cause:0x5) @ pc:0x1\n"
     "[9.0] NVRM: Xid (PCI:0000:3b:00): 119, pid=1, name=a, Timeout after 6s of waiting for RPC response "
     "from GPU0 GSP! Expected function 76 "
     "(GSP_RM_CONTROL) (0x1 0x2).\n"
     "[9.1] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
     "Required)\n"},
    {"DoubleBitErrorWithRemap", "uncorrectable-memory-error-remapped", "reset-gpu", 1,
     "[5.0] NVRM: Xid (PCI:0000:55:00): 48, An uncorrectable double bit error (DBE) has been detected on GPU "
     "in the framebuffer at physAddr 0xe9b9107e0 "
     "partition 3, subpartition 0.\n"
     "[5.1] NVRM: Xid (PCI:0000:55:00): 171, GDDR, Uncorrectable DRAM error in FBPA 3 subpartition 0 "
     "physAddr 0xe9b9107e0\n"
     "[5.1] NVRM: Xid (PCI:0000:55:00): 63, pid=7, name=python, Row Remapper: New row (0x0000000e9b9107e0) "
     "marked for remapping, reset gpu to activate.\n"
     "[5.2] NVRM: Xid (PCI:0000:55:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and "
     "Reset)\n"},
    {"DoubleBitErrorAlone", "uncorrectable-memory-error", "reset-gpu", 1,
     "NVRM: Xid (PCI:0000:55:00): 48, pid=7, name=python, DBE (double bit error) ECC Error\n"},
    {"RemapFailed", "memory-row-remap-failed", "reset-gpu", 1,
     "NVRM: Xid (PCI:0000:0f:00): 64, pid='<unknown>', name=<unknown>, Row Remapper Error: "
     "(0x00000002eebc4100) - All reserved rows for bank are remapped\n"
     "NVRM: Xid (PCI:0000:0f:00): 94, pid=25, name=python3, Ch 00000008\n"},
    {"Uncontained", "uncontained-memory-error", "reset-gpu", 1,
     "NVRM: Xid (PCI:0000:37:00): 95, pid=5171, name=a, Uncontained: FBHUB. RST: Yes, D-RST: No\n"
     "NVRM: Xid (PCI:0000:37:00): 48, pid=5171, name=a, DBE\n"},
    {"CorrectedStorm", "corrected-memory-error-storm", "gather-more", 1,
     "NVRM: Xid (PCI:0000:37:00): 92, Disabling ECC single-bit error interrupts in framebuffer at logical "
     "partition 3, due to high error rate\n"},
    {"PeerReason21", "nvlink5-peer-fault", "gather-more", 1,
     "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 04 (0x015085c6 0x00000000 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"},
    {"CableReason42", "nvlink5-cable", "reset-gpu", 1,
     "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 04 (0x02a085c6 0x00000000 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"},
    {"HostReason40", "nvlink5-host-event", "none", 1,
     "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 04 (0x028085c6 0x00000000 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"},
    {"ReportReason1", "nvlink5-report-if-daily", "reset-gpu", 1,
     "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 04 (0x00101011 0x00000000 "
     "0x00000000 0x00000000 0x00000000 0x00000000)\n"},
    {"SoftwareReason15", "nvlink5-software-or-user", "reset-gpu", 1,
     "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 04 (0x00f01011 0x00000000 "
     "0x00000000 0x00000000 0x00000000 0x00000000)\n"},
    {"FloodWithoutHungTask", "process-ended", "none", 0,
     "[5.0] NVRM: Xid (PCI:0000:61:00): 45, pid=1496, name=prover, Ch 0000000a\n"
     "[5.0] NVRM: Xid (PCI:0000:61:00): 45, pid=1496, name=prover, Ch 0000000b\n"
     "[5.0] NVRM: Xid (PCI:0000:62:00): 45, pid=1497, name=prover, Ch 0000000c\n"},
    {"FloodWithHungTask", "teardown-stuck", "reboot", 1,
     "[5.0] NVRM: Xid (PCI:0000:61:00): 45, pid=1496, name=prover, Ch 0000000a\n"
     "[130.0] INFO: task cache_mgr_event:620 blocked for more than 120 seconds.\n"},
    {"RemovedForAMemoryError", "contained-memory-error", "restart-application", 1,
     "NVRM: Xid (PCI:0000:61:00): 45, pid=1496, name=prover, Ch 0000000a caused by previous Xid 94\n"},
    {"SwitchEngineHalted", "nvswitch-engine-halted", "reboot", 1,
     "nvidia-nvswitch0: SXid (PCI:0004:00:00.0): 26006, SOE HALTED\n"},
    {"SwitchAlwaysFatal", "nvswitch-fatal", "reboot", 1,
     "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 12020, Fatal, Link 20 egress sequence ID error\n"},
    {"SwitchLinkDownAlone", "nvswitch-link-down", "gather-more", 1,
     "nv-fabricmanager[1]: detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id "
     "00000000:86:00.0 physical id 3 port 33\n"},
    {"SwitchNoise", "nvswitch-noise", "none", 0,
     "nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 11012, Correctable, Link 02 ingress header ECC\n"},
    {"TestEvent", "test-event", "none", 0, "NVRM: Xid (0000:03:00): 14, Channel 00000001\n"},
    {"RecoveryAskedWithoutReason", "recovery-reboot-asked", "reboot", 1,
     "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)\n"},
    {"Recovered", "recovery-done", "none", 0,
     "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 "
     "(None)\n"},
    {"UnknownNumber", "xid-unknown", "gather-more", 1, "NVRM: Xid (PCI:0000:05:00): 99999, unknown error\n"},
};

INSTANTIATE_TEST_SUITE_P(Lines, XidCause, ::testing::ValuesIn(kExamples),
                         [](const ::testing::TestParamInfo<Example>& one) {
                           return std::string(one.param.name);
                         });

TEST(XidCauses, EveryXidOfTheTableRaisesSomething) {
  for (const catalog::XidRow& row : knowledge().xids()) {
    const model::Diagnosis diagnosis =
        diagnose("NVRM: Xid (PCI:0000:05:00): " + std::to_string(row.code) + ", something\n");
    EXPECT_EQ(diagnosis.findings.size() + diagnosis.harmless.size(), 1u)
        << row.code << " " << summary(diagnosis);
  }
}

TEST(XidCauses, EverySxidOfTheTableRaisesSomething) {
  for (const catalog::SxidRow& row : knowledge().sxids()) {
    const model::Diagnosis diagnosis =
        diagnose("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): " + std::to_string(row.code) +
                 ", Non-fatal, Link 01 something\n");
    EXPECT_EQ(diagnosis.findings.size() + diagnosis.harmless.size(), 1u)
        << row.code << " " << summary(diagnosis);
  }
}

}  // namespace
}  // namespace gpuwright::tests
