// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/screen.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace gpuwright::app {

namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

bool write_all(int fd, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t put = ::write(fd, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += static_cast<std::size_t>(put);
  }
  return true;
}

/// The key of the sequence behind ESC [, and the sequence's length; length 0: not whole.
std::pair<Key, std::size_t> sequence(const std::string& bytes, std::size_t at) {
  std::size_t end = at + 2;
  while (end < bytes.size() && (bytes[end] < '@' || bytes[end] > '~')) ++end;
  if (end >= bytes.size()) return {Key::None, bytes.size() - at};
  const std::string body = bytes.substr(at + 2, end - at - 1);
  const Key key = body == "A"    ? Key::Up
                  : body == "B"  ? Key::Down
                  : body == "5~" ? Key::PageUp
                  : body == "6~" ? Key::PageDown
                                 : Key::None;
  return {key, end - at + 1};
}

}  // namespace

struct Screen::State {
  int in = -1, out = -1;
  termios before{};
  bool there = true;
};

Screen::Screen(std::unique_ptr<State> state) : state_(std::move(state)) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;

Screen::~Screen() {
  if (!state_) return;
  (void)write_all(state_->out, kLeave);
  (void)::tcsetattr(state_->in, TCSANOW, &state_->before);
}

base::Result<Screen> Screen::open(int in, int out) {
  auto state = std::make_unique<State>();
  state->in = in;
  state->out = out;
  if (::isatty(in) == 0 || ::isatty(out) == 0 || ::tcgetattr(in, &state->before) != 0)
    return base::make_error(base::ErrorKind::Unsupported, "this is no terminal; try --once", "top");
  termios raw = state->before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(in, TCSANOW, &raw) != 0)
    return base::make_error(base::ErrorKind::Io, "the terminal cannot be set", "top");
  (void)write_all(out, kEnter);
  return Screen(std::move(state));
}

std::pair<int, int> Screen::size(int out) {
  winsize told{};
  constexpr int kColumns = 80, kLines = 24;
  if (::ioctl(out, TIOCGWINSZ, &told) != 0 || told.ws_col == 0 || told.ws_row == 0) return {kColumns, kLines};
  return {told.ws_col, told.ws_row};
}

void Screen::show(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    text += "\x1b[K";
    if (i + 1 < lines.size()) text += "\r\n";
  }
  text += "\x1b[J";
  if (!write_all(state_->out, text)) state_->there = false;
}

std::vector<Pressed> Screen::read() {
  std::array<char, 256> buffer{};
  const ssize_t got = ::read(state_->in, buffer.data(), buffer.size());
  if (got <= 0) {
    if (got == 0 || (errno != EINTR && errno != EAGAIN)) state_->there = false;
    return {};
  }
  return keys_of(std::string(buffer.data(), static_cast<std::size_t>(got)));
}

bool Screen::there() const {
  return state_->there;
}

std::vector<Pressed> keys_of(const std::string& bytes) {
  constexpr char kEscape = '\x1b', kControlC = '\x03', kControlD = '\x04';
  std::vector<Pressed> keys;
  for (std::size_t at = 0; at < bytes.size();) {
    const char byte = bytes[at];
    std::size_t length = 1;
    Pressed pressed{Key::Other, byte};
    if (byte == kEscape && at + 1 < bytes.size() && (bytes[at + 1] == '[' || bytes[at + 1] == 'O')) {
      const auto [key, whole] = sequence(bytes, at);
      pressed = {key, 0};
      length = whole;
    } else if (byte == kEscape || byte == kControlC || byte == kControlD || byte == 'q') {
      pressed = {Key::Quit, 0};
    } else if (byte == '\n' || byte == '\r') {
      pressed = {Key::Enter, 0};
    } else if (byte == 'k' || byte == 'j') {
      pressed = {byte == 'k' ? Key::Up : Key::Down, 0};
    }
    if (pressed.key != Key::None) keys.push_back(pressed);
    at += length;
  }
  return keys;
}

}  // namespace gpuwright::app
