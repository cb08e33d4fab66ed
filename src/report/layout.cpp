// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include "base/text.h"

#include <fmt/core.h>

#include <array>

namespace gpuwright::report {

namespace {

constexpr int kIndent = 3;
constexpr int kNameColumns = 15;

bool is_wide(std::string_view character) {
  return character.size() >= 3 && static_cast<unsigned char>(character[0]) >= 0xE3;
}

/// Length in bytes of the next piece that must stay together: a word with the space before it, or one wide
/// character.
std::size_t next_piece(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::size_t begin = at;
  while (at < text.size() && text[at] != ' ') {
    const std::size_t length = std::max<std::size_t>(1, base::utf8_length(text.substr(at)));
    if (is_wide(text.substr(at, length))) return at == begin ? at + length : at;
    at += length;
  }
  return at;
}

}  // namespace

const char* style_code(Style style) {
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Good:
      return "\x1b[32m";
    case Style::Warn:
      return "\x1b[33m";
    case Style::Bad:
      return "\x1b[1;31m";
    case Style::Dim:
      return "\x1b[2m";
  }
  return "";
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, base::utf8_length(text));
    width += is_wide(text.substr(0, length)) ? 2 : 1;
    text.remove_prefix(length);
  }
  return width;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string current;
  int used = 0;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, next_piece(text));
    text.remove_prefix(piece.size());
    const int piece_width = display_width(piece);
    if (used > 0 && used + piece_width > width) {
      lines.push_back(std::move(current));
      current = base::trim(piece);
      used = display_width(current);
    } else {
      current += piece;
      used += piece_width;
    }
  }
  lines.push_back(std::move(current));
  return lines;
}

void Layout::line(Style style, std::string_view text) {
  const bool styled = color_ && style != Style::Plain;
  text_ += fmt::format("{}{}{}\n", styled ? style_code(style) : "", text, styled ? "\x1b[0m" : "");
}

void Layout::field(const std::string& name, std::string_view value) {
  const int column = kIndent + kNameColumns;
  std::string current = std::string(kIndent, ' ') + name;
  current.append(static_cast<std::size_t>(std::max(1, kNameColumns - display_width(name))), ' ');
  int used = column;
  const int hang = value.substr(0, 2) == "- " ? 2 : 0;
  while (!value.empty()) {
    const std::size_t length = next_piece(value);
    const std::string_view piece = value.substr(0, length);
    const int piece_width = display_width(piece);
    if (used + piece_width > width_ && used > column + hang) {
      text_ += current + '\n';
      current.assign(static_cast<std::size_t>(column) + static_cast<std::size_t>(hang), ' ');
      used = column + hang + display_width(base::trim(piece));
      current += base::trim(piece);
    } else {
      current += piece;
      used += piece_width;
    }
    value.remove_prefix(length);
  }
  text_ += current + '\n';
}

void Layout::verbatim(const std::string& name, std::string_view value) {
  text_ += std::string(kIndent, ' ') + name +
           std::string(static_cast<std::size_t>(std::max(1, kNameColumns - display_width(name))), ' ');
  text_ += value;
  text_ += '\n';
}

std::string evidence_where(const model::Evidence& evidence) {
  return evidence.line > 0 ? fmt::format("{}:{}", base::printable(evidence.input, 120), evidence.line)
                           : base::printable(evidence.input, 120);
}

std::string place_text(const std::string& place, catalog::Language language) {
  struct Name {
    const char* place;
    const char* en;
    const char* zh;
  };
  static constexpr std::array<Name, 18> kNames = {{{"gpu", "this GPU", "本 GPU"},
                                                   {"link", "its link", "其链路"},
                                                   {"peer", "the peer", "对端"},
                                                   {"cable", "the cable", "线缆"},
                                                   {"switch", "the switch", "交换芯片"},
                                                   {"pcie", "the PCIe path", "PCIe 通路"},
                                                   {"host-power", "the host's power", "主机供电"},
                                                   {"cooling", "cooling", "散热"},
                                                   {"host", "the host", "主机"},
                                                   {"memory", "memory", "内存"},
                                                   {"driver", "the driver", "驱动"},
                                                   {"firmware", "firmware", "固件"},
                                                   {"container", "the container", "容器"},
                                                   {"application", "the application", "应用程序"},
                                                   {"network", "the network", "网络"},
                                                   {"storage", "storage", "存储"},
                                                   {"scheduler", "the scheduler", "调度器"},
                                                   {"configuration", "configuration", "配置"}}};
  for (const Name& name : kNames) {
    if (place == name.place) return language == catalog::Language::Chinese ? name.zh : name.en;
  }
  return place;
}

}  // namespace gpuwright::report
