// Dashboards as Grafana would read them: whole, without overlap, limits and links where they belong.
// SPDX-License-Identifier: Apache-2.0
#include "artifacts/grafana.h"

#include "base/text.h"
#include "kit/json.h"

#include "artifacts/alert_text.h"
#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

kit::Node dashboard(const std::string& name, catalog::Language language = catalog::Language::English) {
  const std::string text = artifacts::grafana_dashboard(knowledge(), name, {language, "2.5"});
  const auto json = kit::parse_json(text, name);
  EXPECT_TRUE(json.ok()) << text.substr(0, 200);
  return json ? *json : kit::Node();
}

std::int64_t number(const kit::Node& node) {
  return base::parse_int(node.text()).value_or(-1);
}

class Dashboards : public ::testing::TestWithParam<std::string> {};

TEST_P(Dashboards, AreWhole) {
  const kit::Node board = dashboard(GetParam());
  EXPECT_EQ(board["uid"].text(), "gpuwright-" + GetParam());
  EXPECT_GE(number(board["schemaVersion"]), 38) << "Grafana 10";
  EXPECT_TRUE(board["id"].is_null()) << "an id would take the place of another dashboard";
  std::set<std::string> variables;
  for (const kit::Node& one : board["templating"]["list"].items) variables.insert(one["name"].text());
  EXPECT_EQ(variables.count("datasource"), 1U);
  EXPECT_EQ(variables.count("node"), 1U);
  EXPECT_EQ(variables.count("gpu"), GetParam() == "node" ? 1U : 0U);
  EXPECT_EQ(variables.count("job"), GetParam() == "job" ? 1U : 0U);
  EXPECT_EQ(variables.count("price"), GetParam() == "cost" ? 1U : 0U);
  std::set<std::string> ids;
  for (const kit::Node& panel : board["panels"].items) {
    EXPECT_TRUE(ids.insert(panel["id"].text()).second) << panel["title"].text();
    EXPECT_FALSE(panel["title"].text().empty());
    if (panel["type"].text() == "row") continue;
    EXPECT_EQ(panel["datasource"]["uid"].text(), "${datasource}");
    EXPECT_FALSE(panel["fieldConfig"]["defaults"]["unit"].text().empty()) << panel["title"].text();
    EXPECT_FALSE(panel["targets"].items.empty());
    std::set<std::string> letters;
    for (const kit::Node& target : panel["targets"].items) {
      EXPECT_TRUE(letters.insert(target["refId"].text()).second);
      EXPECT_THAT(target["expr"].text(), Not(HasSubstr("@"))) << "a place that nobody filled";
    }
  }
}

TEST_P(Dashboards, HavePanelsBesideEachOtherAndNeverOnEachOther) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> taken;
  const kit::Node board = dashboard(GetParam());
  for (const kit::Node& panel : board["panels"].items) {
    const kit::Node& at = panel["gridPos"];
    const std::int64_t x = number(at["x"]), y = number(at["y"]), w = number(at["w"]), h = number(at["h"]);
    EXPECT_TRUE(x >= 0 && w >= 1 && x + w <= 24 && y >= 0 && h >= 1) << panel["title"].text();
    for (std::int64_t column = x; column < x + w; ++column) {
      for (std::int64_t line = y; line < y + h; ++line) {
        const auto [other, free] = taken.try_emplace({column, line}, panel["title"].text());
        EXPECT_TRUE(free) << panel["title"].text() << " lies on " << other->second;
      }
    }
  }
}

TEST_P(Dashboards, AreTheSameInChineseButForTheirWords) {
  const kit::Node english = dashboard(GetParam());
  const kit::Node chinese = dashboard(GetParam(), catalog::Language::Chinese);
  ASSERT_EQ(english["panels"].items.size(), chinese["panels"].items.size());
  EXPECT_NE(english["title"].text(), chinese["title"].text());
  for (std::size_t i = 0; i < english["panels"].items.size(); ++i) {
    const auto& one = english["panels"].items[i]["targets"].items;
    const auto& other = chinese["panels"].items[i]["targets"].items;
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k]["expr"].text(), other[k]["expr"].text());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Dashboards, ::testing::Values("fleet", "node", "job", "cost"),
                         [](const auto& one) { return one.param; });

TEST(DashboardPanels, TheNodeShowsEveryFamilyOfTheTable) {
  const auto panels = artifacts::dashboard_panels(knowledge(), "node", catalog::Language::English);
  for (const catalog::MetricFamilyRow& family : knowledge().metrics().families) {
    if (family.type == "info") continue;  // what others are joined with
    bool shown = false;
    for (const catalog::PanelRow& panel : panels) {
      for (const std::string& expr : panel.exprs)
        shown = shown || artifacts::asks_for(expr, catalog::series_name(family));
    }
    EXPECT_TRUE(shown) << family.name;
  }
}

TEST(DashboardPanels, TakeTheirLimitsFromTheAlertsAndSayWhatToDo) {
  const catalog::Metrics& metrics = knowledge().metrics();
  for (const catalog::PanelRow& panel : metrics.panels) {
    for (const std::string& text : panel.thresholds) {
      const catalog::AlertRow* alert = artifacts::alert_of(metrics, text);
      if (alert == nullptr) {
        const std::string what = text.substr(0, text.find(':'));
        EXPECT_TRUE(text.ends_with(":critical") || text.ends_with(":warning")) << text;
        EXPECT_TRUE(base::parse_double(what) || knowledge().threshold(what) < 1e9) << text;
        continue;
      }
      EXPECT_TRUE(artifacts::limit_of(*alert).has_value()) << alert->expr;
      bool same = false;  // a limit of another quantity would be a line without meaning
      for (const catalog::MetricFamilyRow& family : metrics.families) {
        const std::string series = catalog::series_name(family);
        for (const std::string& expr : panel.exprs)
          same = same || (artifacts::asks_for(expr, series) && artifacts::asks_for(alert->expr, series));
      }
      EXPECT_TRUE(same) << panel.title << " with the limit of " << alert->name;
    }
  }
  const std::string node = artifacts::grafana_dashboard(knowledge(), "node", {});
  EXPECT_THAT(node, HasSubstr("gpuwright explain gpu-near-thermal-limit"));
  const kit::Node board = dashboard("node");
  for (const kit::Node& panel : board["panels"].items) {
    if (panel["title"].text() != "Headroom") continue;
    const auto& steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"].items;
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0]["color"].text(), "red") << "bad is what is low";
    EXPECT_EQ(steps[1]["color"].text(), "orange");
    EXPECT_EQ(number(steps[1]["value"]), 2);
    EXPECT_EQ(steps[2]["color"].text(), "green");
    EXPECT_EQ(number(steps[2]["value"]), 5);
    EXPECT_FALSE(panel["links"].items.empty()) << "the page behind the cause";
  }
}

TEST(DashboardPanels, HaveTheirReasonsToBeEmptyWritten) {
  std::set<std::string> known;
  for (const catalog::PanelTitleRow& row : knowledge().metrics().panel_titles) {
    EXPECT_FALSE(row.title.empty() || row.title_zh.empty()) << row.id;
    if (row.kind == "empty") known.insert(row.id);
  }
  for (const catalog::PanelRow& row : knowledge().metrics().panels) {
    EXPECT_FALSE(row.title.empty() || row.title_zh.empty()) << row.title;
    if (row.empty.empty()) continue;
    for (const std::string_view why : base::split(row.empty, ';'))
      EXPECT_EQ(known.count(std::string(why)), 1U) << why;
  }
}

TEST(AsksFor, KnowsWholeNamesOnly) {
  EXPECT_TRUE(artifacts::asks_for("sum(gpuwright_gpu_up{gpu='0'})", "gpuwright_gpu_up"));
  EXPECT_TRUE(artifacts::asks_for("gpuwright_gpu_up", "gpuwright_gpu_up"));
  EXPECT_FALSE(artifacts::asks_for("gpuwright_gpu_up_since", "gpuwright_gpu_up"));
  EXPECT_FALSE(artifacts::asks_for("my_gpuwright_gpu_up", "gpuwright_gpu_up"));
}

}  // namespace
}  // namespace gpuwright::tests
