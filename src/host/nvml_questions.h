// What we ask NVML about each GPU: one visible list. A question's key is the name that nvidia-smi's
// --query-gpu gives the same fact, so that one parser reads both; facts without such a name have one of the
// same make.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_library.h"

#include <span>
#include <string>
#include <vector>

namespace gpuwright::host::nvml {

/// One answer in words, in the units of --query-gpu without their names: MiB, W, MHz, C.
struct Answer {
  Return result =
      Return::FunctionNotFound;  ///< what the call returned; FunctionNotFound where the library lacks it
  std::string text;
};

struct Question {
  const char* key;   ///< "temperature.gpu"
  const char* call;  ///< "nvmlDeviceGetTemperature"
  Answer (*ask)(const Api& api, Device device);
};

/// The list, cheap and telling questions first: what a GPU that hangs has answered until then still counts.
std::span<const Question> questions();

/// A fact of which a GPU has several: links, MIG devices, processes. Each gives lines of its own: "link 3:
/// active, ...".
struct ListQuestion {
  const char* key;
  const char* call;
  Return (*ask)(const Api& api, Device device, std::vector<std::string>& lines);
};

std::span<const ListQuestion> list_questions();

}  // namespace gpuwright::host::nvml
