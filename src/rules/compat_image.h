// Names of container images: is the tag one that the publisher gives out, and which CUDA is in it.
// Source: nvidia/container-images README, framework support matrix, GPU Operator documentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/compatibility.h"

#include <string>
#include <string_view>

namespace gpuwright::rules {

/// "registry/name:tag@digest" in its parts. Source: the reference grammar of distribution/reference.
struct ImageName {
  std::string name;    ///< "nvidia/cuda", without the registry
  std::string tag;     ///< empty when there is none
  std::string digest;  ///< empty when there is none
};
ImageName image_name(std::string_view reference);

/// Does the tag have a form that its family uses? `needs` gives an example that does.
CompatAnswer image_tag_fits(const catalog::Compat& compat, std::string_view reference);

/// The CUDA release that the tag itself names: "12.2.2" of nvidia/cuda, "12.8" of "...-cuda12.8-..." and
/// "cu128"; empty when it names none.
std::string image_cuda(const catalog::Compat& compat, std::string_view reference);

/// True when the whole text has the form (see catalog::ImageFamilyRow).
bool matches_form(const catalog::ImageFamilyRow& family, std::string_view form, std::string_view text);

}  // namespace gpuwright::rules
