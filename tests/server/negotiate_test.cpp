// What scrapers and browsers send, and what nobody should.
// SPDX-License-Identifier: Apache-2.0
#include "server/negotiate.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using report::MetricsFormat;
using server::negotiate;
using server::Wanted;

MetricsFormat format(const char* accept) {
  return negotiate(accept, std::nullopt).format;
}

TEST(Negotiate, GivesTheTextFormUnlessOpenMetricsIsWantedMore) {
  EXPECT_EQ(negotiate(std::nullopt, std::nullopt), (Wanted{MetricsFormat::Prometheus, false}));
  // Prometheus 2.42, then 3.x. Source: prometheus/scrape/scrape.go, acceptHeader.
  EXPECT_EQ(
      format("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
             "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
      MetricsFormat::OpenMetrics);
  EXPECT_EQ(format("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
                   "application/openmetrics-text;version=0.0.1;q=0.4,text/"
                   "plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
                   "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"),
            MetricsFormat::OpenMetrics);
  // PrometheusText0.0.4 alone.
  EXPECT_EQ(format("text/plain;version=0.0.4;q=1,*/*;q=0.1"), MetricsFormat::Prometheus);
  // A browser and curl.
  EXPECT_EQ(format("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            MetricsFormat::Prometheus);
  EXPECT_EQ(format("*/*"), MetricsFormat::Prometheus);
  EXPECT_EQ(format(""), MetricsFormat::Prometheus);
}

TEST(Negotiate, LetsTheMostSpecificRangeDecide) {
  EXPECT_EQ(format("application/openmetrics-text"), MetricsFormat::OpenMetrics);
  EXPECT_EQ(format("application/*"), MetricsFormat::OpenMetrics);
  EXPECT_EQ(format("*/*;q=1, application/openmetrics-text;q=0"), MetricsFormat::Prometheus);
  EXPECT_EQ(format("text/plain;q=0, */*"), MetricsFormat::OpenMetrics);
  EXPECT_EQ(format("application/openmetrics-text;version=2.0.0, text/plain;q=0.1"),
            MetricsFormat::Prometheus);
  EXPECT_EQ(format("APPLICATION/OpenMetrics-Text ; Version=\"1.0.0\" ; Q=0.9 , text/plain ; q=0.8"),
            MetricsFormat::OpenMetrics);
  EXPECT_EQ(format("application/openmetrics-text;q=0.5,text/plain;q=0.5"), MetricsFormat::Prometheus);
}

TEST(Negotiate, SkipsWhatIsNoQuality) {
  for (const char* quality : {"2", "-1", "x", "", "nan", "1e9"})
    EXPECT_EQ(
        format((std::string("application/openmetrics-text;q=") + quality + ",text/plain;q=0.1").c_str()),
        MetricsFormat::Prometheus)
        << quality;
  EXPECT_EQ(format(",,;;q=1,=;"), MetricsFormat::Prometheus);
  EXPECT_EQ(format((std::string(100000, ',') + "application/openmetrics-text").c_str()),
            MetricsFormat::OpenMetrics);
}

TEST(Negotiate, CompressesWhereItIsWanted) {
  for (const char* header :
       {"gzip", "deflate, gzip;q=0.5", "x-gzip", "*", "br, *;q=0.1", "gzip;q=0.5, identity;q=0.5", "GZIP"})
    EXPECT_TRUE(server::accepts_gzip(header)) << header;
  for (const char* header :
       {"", "identity", "gzip;q=0", "*;q=0", "gzip;q=0.1, identity;q=0.5", "*, gzip;q=0", "br", "gzipped"})
    EXPECT_FALSE(server::accepts_gzip(header)) << header;
  EXPECT_FALSE(server::accepts_gzip(std::nullopt));
}

}  // namespace
}  // namespace gpuwright::tests
