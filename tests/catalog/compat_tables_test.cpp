// The typed tables: what the schema refuses, and what every row must say.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/builder.h"
#include "catalog/knowledge.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace gpuwright::tests {
namespace {

/// What a folder with this one file makes of it: the complaint, or "".
std::string complaint(const std::string& name, const std::string& text) {
  const std::string folder = testing::TempDir() + "gpuwright-tables-" + std::to_string(getpid());
  std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
  std::ofstream(folder + "/" + name) << text;
  const base::Result<catalog::Catalog> built = catalog::Catalog::from_folder(folder);
  std::filesystem::remove_all(folder);
  return built ? std::string() : built.error().text();
}

TEST(TypedTables, ARowThatDoesNotFollowTheSchemaIsRefusedWithItsLine) {
  const std::string chips = "first_id,last_id,chip,cc,open_modules,source\n";
  EXPECT_EQ(complaint("gpu_chips.csv", chips + "2300,237f,GH100,9.0,,here\n"), "");
  EXPECT_EQ(complaint("gpu_chips.csv", chips + "2300,237f,GH100,9.0,,\n"), "gpu_chips.csv:2: needs a source");
  EXPECT_EQ(complaint("gpu_chips.csv", chips + "2300,237f,GH100,nine,,here\n"),
            "gpu_chips.csv:2: cc 'nine' is not a dotted version");
  EXPECT_EQ(complaint("gpu_chips.csv", chips + "23xx,237f,GH100,9.0,,here\n"),
            "gpu_chips.csv:2: first_id '23xx' is not a hexadecimal number");
  EXPECT_EQ(complaint("gpu_chips.csv",
                      "first_id,last_id,chip,cc,open_modules,source,extra\n2300,237f,GH100,9.0,,here,x\n"),
            "gpu_chips.csv:2: column 'extra' is unknown");
  EXPECT_EQ(complaint("gpu_chips.csv", "first_id,chip,cc,open_modules,source\n2300,GH100,9.0,,here\n"),
            "gpu_chips.csv:2: column 'last_id' is missing");
  EXPECT_NE(complaint("gpu_chips.csv", chips + "2300,237f,GH100,9.0,,here\n2370,23ff,X,9.0,,here\n"), "");
  const std::string limits = "id,value,unit,applies_to,reason,source\n";
  EXPECT_EQ(complaint("thresholds.csv", limits + "a.b,1.5,x,all,because,here\n"), "");
  EXPECT_EQ(complaint("thresholds.csv", limits + "a.b,much,x,all,because,here\n"),
            "thresholds.csv:2: value 'much' is not a number");
  EXPECT_NE(complaint("thresholds.csv", limits + "a.b,1,x,all,because,here\na.b,2,x,all,because,here\n"), "");
}

TEST(TypedTables, RowsThatAgeSayWhenTheyWereRead) {
  const catalog::Compat& tables = knowledge().compat();
  for (const auto& row : tables.cuda_releases) EXPECT_FALSE(row.as_of.empty()) << row.release;
  for (const auto& row : tables.branches) EXPECT_FALSE(row.as_of.empty()) << row.branch;
  for (const auto& row : tables.torch) EXPECT_FALSE(row.as_of.empty()) << row.torch;
  for (const auto& row : tables.os) EXPECT_FALSE(row.as_of.empty()) << row.os_id;
}

TEST(TypedTables, WordsAreThoseThatRulesKnow) {
  const catalog::Compat& tables = knowledge().compat();
  for (const auto& row : tables.branches) {
    EXPECT_TRUE((std::set<std::string>{"lts", "production", "new-feature"}.count(row.kind))) << row.branch;
    EXPECT_TRUE((std::set<std::string>{"none", "optional", "default", "only"}.count(row.open_modules)))
        << row.branch;
  }
  std::set<std::string> ids;
  for (const auto& row : tables.boards) {
    EXPECT_TRUE((std::set<std::string>{"no", "possible", "required"}.count(row.open_modules))) << row.id;
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  }
  for (const auto& row : tables.os)
    EXPECT_TRUE(row.family.empty() || tables.os_family(row.family) != nullptr) << row.os_id;
}

}  // namespace
}  // namespace gpuwright::tests
