// Digests against published values.
// SPDX-License-Identifier: Apache-2.0
#include "kit/hash.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

// Source: FIPS 180-2, appendix B.
TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(kit::sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(kit::sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(kit::sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  const std::string text(10007, 'x');
  kit::Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += 13) hash.update(std::string_view(text).substr(at, 13));
  EXPECT_EQ(hash.finish(), kit::sha256_hex(text));
}

TEST(KeyedHash, DependsOnKeyAndTextAlone) {
  const std::string one = kit::keyed_hash("key", "node1");
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(one, kit::keyed_hash("key", "node1"));
  EXPECT_NE(one, kit::keyed_hash("key", "node2"));
  EXPECT_NE(one, kit::keyed_hash("kez", "node1"));
}

TEST(RandomBytes, AreAsManyAsAskedAndDiffer) {
  const auto first = kit::random_bytes(32);
  const auto second = kit::random_bytes(32);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->size(), 32U);
  EXPECT_NE(*first, *second);
}

}  // namespace
}  // namespace gpuwright::tests
