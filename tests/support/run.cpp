// Output goes through files, so that no pipe can fill up and stall both sides.
// SPDX-License-Identifier: Apache-2.0
#include "support/run.h"

#include "support/paths.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gpuwright::tests {
namespace {

void redirect(const std::string& path, int flags, int to) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(126);
}

/// What we start notes who waits for what in a folder of this test, so that tests beside it are not held up.
const class OwnRuntimeFolder {
 public:
  OwnRuntimeFolder() { ::setenv("RUNTIME_DIRECTORY", (folder_.path() + "/claims").c_str(), 1); }

 private:
  TempFolder folder_;
} own_runtime_folder;

}  // namespace

Ran run(const std::vector<std::string>& argv, const std::string& input) {
  const TempFolder folder;
  const std::string in = folder.write("in", input);
  const std::string out = folder.path() + "/out";
  const std::string err = folder.path() + "/err";
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    redirect(in, O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  Ran ran;
  ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = read_file(out);
  ran.err = read_file(err);
  return ran;
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gpuwright-test-XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TempFolder::write(const std::string& name, const std::string& content) const {
  const std::string path = path_ + "/" + name;
  std::ofstream file(path, std::ios::binary);
  file << content;
  EXPECT_TRUE(file.good()) << path;
  return path;
}

}  // namespace gpuwright::tests
