// Hostile ONNX files: whatever bytes there are, the reader answers or complains, soon and without much memory. Meant to
// be run under the address sanitizer too. HELIOLITE_FUZZ_RUNS and HELIOLITE_FUZZ_SEED make it longer and different.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/onnx_digest.h"
#include "tests/support/text_mutation.h"

namespace heliolite::onnx_damage_test {
namespace {

using namespace onnx_models;
using ::testing::HasSubstr;

std::string complaint(std::string_view bytes) {
  const auto imported = onnx::import_bytes(bytes, "m.onnx", {}, onnx::Merge::None);
  return imported ? "taken" : to_string(imported.errors());
}

TEST(OnnxDamage, LengthsAreChecked) {
  EXPECT_THAT(complaint(std::string("\x08\x08\x3a\xff\xff\xff\xff\x0f", 8)),
              HasSubstr("byte 2: no ONNX model: field 7 has"));
  EXPECT_THAT(complaint(std::string(12, '\xff')), HasSubstr("byte 0: no ONNX model: no number"));
  EXPECT_THAT(complaint(std::string("\x08\x08\x02\x00", 4)), HasSubstr("no field has the number 0"));
  EXPECT_THAT(complaint(std::string("\x08\x08\x0b", 3)), HasSubstr("wire type 3"));
  EXPECT_THAT(complaint(""), HasSubstr("the file is empty"));
}

TEST(OnnxDamage, NestingAndRecursionEnd) {
  Message graph = Model{}.graph();
  for (int i = 0; i < 40; ++i) graph = Message().message(1, node("If", {}, {"y"}, {{"then_branch", graph}}));
  Message model;
  model.integer(1, 8).message(7, graph);
  EXPECT_THAT(complaint(model.bytes()), HasSubstr("nested over 32 deep"));

  Model m;
  m.inputs = {tensor("x", {"4"})};
  m.nodes = {node("F", {"x"}, {"y"}, {}, "", "local")};
  m.functions = {Message()
                     .text(1, "F")
                     .text(4, "a")
                     .text(5, "b")
                     .text(10, "local")
                     .message(7, node("F", {"a"}, {"b"}, {}, "", "local"))};
  EXPECT_THAT(complaint(m.bytes()), HasSubstr("the function F calls itself"));
}

// Functions that call each other twice are as many nodes as they are calls; a constant of 10^10 elements is one.
TEST(OnnxDamage, NothingGrowsByWhatIsDeclared) {
  Model m;
  m.inputs = {tensor("x", {"4", "4"})};
  m.constants = {weights("w", {4, 4}), integers("many", {2}, {100'000, 100'000})};
  m.nodes = {node("ConstantOfShape", {"many"}, {"big"}), node("F0", {"x", "w"}, {"y"}, {}, "", "local")};
  for (int i = 0; i < 8; ++i) {
    const std::string callee = i == 7 ? "MatMul" : "F" + std::to_string(i + 1), domain = i == 7 ? "" : "local";
    Message f;
    f.text(1, "F" + std::to_string(i)).text(4, "a").text(4, "w").text(5, "c").text(10, "local");
    f.message(7, node(callee, {"a", "w"}, {"b"}, {}, "", domain));
    f.message(7, node(callee, {"b", "w"}, {"c"}, {}, "", domain));
    m.functions.push_back(f);
  }
  const auto imported = onnx::import_bytes(m.bytes(), "m.onnx", {}, onnx::Merge::None);
  ASSERT_TRUE(imported) << to_string(imported.errors());
  EXPECT_EQ(imported->network.layers.size(), 256U);
}

TEST(OnnxDamage, EveryTruncation) {
  for (const std::string& seed : fuzz_seeds()) {
    const std::size_t step = 1 + seed.size() / 150;
    for (std::size_t size = 0; size < seed.size(); size += step)
      EXPECT_EQ(digest(std::string_view(seed).substr(0, size)), "");
  }
}

// Bytes changed, taken out, doubled and taken from another model; and single numbers at their limits.
TEST(OnnxDamage, RandomChanges) {
  const std::vector<std::string> models = fuzz_seeds();
  TextMutator random(from_environment("HELIOLITE_FUZZ_SEED", 1));
  const std::uint64_t runs = from_environment("HELIOLITE_FUZZ_RUNS", 2000);
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::string bytes = models[random.below(models.size())];
    const std::string& other = models[random.below(models.size())];
    for (std::size_t changes = 1 + random.below(6); changes-- > 0 && !bytes.empty();) {
      const std::size_t at = random.below(bytes.size()), count = 1 + random.below(8);
      static constexpr unsigned char kLimits[] = {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff};
      switch (random.below(5)) {
        case 0: bytes[at] = static_cast<char>(random.below(256)); break;
        case 1: bytes[at] = static_cast<char>(kLimits[random.below(std::size(kLimits))]); break;
        case 2: bytes.erase(at, count); break;
        case 3: bytes.insert(at, bytes.substr(random.below(bytes.size()), count)); break;
        default: bytes.replace(at, count, other.substr(random.below(other.size()), count)); break;
      }
    }
    EXPECT_EQ(digest(bytes), "");
  }
}

}  // namespace
}  // namespace heliolite::onnx_damage_test
