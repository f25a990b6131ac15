// What the checker reads, and what it says of it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/proof_cases.h"
#include "tests/support/proof_prover.h"
#include "tests/support/proof_toys.h"

namespace heliolite::check_proof_reading_test {
namespace {

using namespace heliolite::testing;

std::string recorded(const std::string& name) {
  std::ifstream file(std::string(HELIOLITE_TEST_DATA) + "/golden/proof/" + name + ".proof");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}
std::string tiny() { return recorded("tiny"); }
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CheckProofReading, HashesAsTheStandardSays) {
  EXPECT_EQ(check_proof::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(check_proof::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(check_proof::sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(CheckProofReading, ReadsAndWritesDecimals) {
  const std::string most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
  ASSERT_TRUE(check_proof::read_big(most));
  EXPECT_EQ(check_proof::text_of(*check_proof::read_big(most)), most);
  EXPECT_FALSE(check_proof::read_big("115792089237316195423570985008687907853269984665640564039457584007913129639936"));
  for (const char* bad : {"", "-1", "01", "1 ", "0x1", "+1"}) EXPECT_FALSE(check_proof::read_big(bad)) << bad;
  EXPECT_EQ(check_proof::scaled_text(check_proof::big(13), 2), "3.250000");
  EXPECT_EQ(check_proof::scaled_text(check_proof::big(12), 2), "3");
}

TEST(CheckProofReading, AcceptsTheExampleOfTheDocumentation) {
  const Checked a = check(tiny());
  EXPECT_EQ(a.verdict, Verdict::Accepted) << a.what;
  EXPECT_EQ(
      a.what,
      "no legal mapping has an EDP below 3192 pJ x cycles, the mapping has it; 2 states; instance 57d4b28190b90aad");
  const std::string text = tiny();
  check_proof::Lines lines(text);
  EXPECT_EQ(check_proof::priced(lines).substr(0, 39), "14 cycles at 228 pJ, 3192 pJ x cycles\nB");
}

// Written by the engine: halos, clusters and bandwidths; hops and words of three sizes; ingress and several keep
// choices. A claim one unit higher is rejected.
TEST(CheckProofReading, AcceptsProofsOfPresets) {
  for (const char* name : {"eyeriss_conv5_1", "simba_conv5_1", "gpu_sm_conv5_1"}) {
    const std::string text = recorded(name);
    const Checked a = check(text);
    EXPECT_EQ(a.verdict, Verdict::Accepted) << name << ": " << a.what;
    const std::size_t claim = text.find("claim optimal edp "), value = claim + 18, end = text.find('\n', value);
    const std::size_t mapping = text.find("mapping"), states = text.find("\nr 1 ") + 1;
    check_proof::Big above = *check_proof::read_big(text.substr(value, end - value));
    check_proof::multiply(above, 1, 1);
    const std::string higher = text.substr(0, claim) + "claim bound edp " + check_proof::text_of(above) +
                               text.substr(end, mapping - end) + text.substr(states);
    EXPECT_EQ(check(higher).verdict, Verdict::Rejected) << name;
  }
}

TEST(CheckProofReading, NamesTheFirstWrongLine) {
  const auto says = [](const std::string& text, unsigned line, const std::string& what) {
    const Checked a = check(text);
    EXPECT_EQ(a.verdict, Verdict::Rejected);
    EXPECT_EQ(a.line, line) << a.what;
    EXPECT_NE(a.what.find(what), std::string::npos) << a.what;
  };
  const std::string text = tiny(), state = "s 2 1 K:2 - DRAM,DRAM,DRAM\n";
  says(replaced(replaced(text, state, ""), "end 2", "end 1"), 25, "K:2 - DRAM,DRAM,DRAM");
  says(replaced(text, "edp 3192", "edp 3193"), 24, "expected, not 14 cycles at 228 pJ");
  says(replaced(text, "room 6", "room 7"), 20, "'instance ");
  says(replaced(text, "s 2 1", "s 3 1"), 27, "the number 2");
  says(replaced(text, "s 2 1", "s 2 2"), 27, "stage before");
  says(replaced(text, "K:2 - DRAM", "K:3 - DRAM"), 27, "unrolling");
  says(replaced(text, "end 2", "end 3"), 29, "'end 2' expected");
  says(text + "x\n", 29, "nothing expected");
  says(replaced(text, "r 1 Buf", "r  1 Buf"), 25, "one space");
  says(replaced(text, "keep A B Z", "kept A B Z"), 11, "'keep' expected");
}

TEST(CheckProofReading, RefusesByNameWhatThereAreNoProofsOf) {
  const auto says = [](const std::string& text, const std::string& what) {
    const Checked a = check(text);
    EXPECT_EQ(a.verdict, Verdict::Refused);
    EXPECT_NE(a.what.find(what), std::string::npos) << a.what;
  };
  says(replaced(tiny(), "output M N", "output M+N"), "outputs with strides or halos");
  says(replaced(tiny(), "input M K", "input M M+K"), "a dimension in two ranks");
  says(replaced(tiny(), "unit 0", "unit 65"), "units below");
  const std::string text = tiny();
  says(replaced(text, "mapping", "reduce symmetry M N\nmapping"), "reduction");
}

// Batch: M indexes all tensors, so its loops need to be looked at in one place only.
TEST(CheckProofReading, ReducesABatch) {
  const std::string text =
      "heliolite-instance 1\nunit 0\nmac 1\ndim M 4\ndim K 2\ntensor A input M K\ntensor B input M K\n"
      "tensor Z output M\nlevel Buf room 6 block 1 read 1 fill 2 update 1\nkeep A B Z\nloops M:1-4 K:1-2\n"
      "level DRAM room - block 1 read 4 fill 8 update 4\nkeep A B Z\nloops M:1-4 K:1-2\n";
  const check_proof::Instance whole = instance_of_text(text);
  check_proof::Instance reduced = whole;
  reduced.levels[0].loops[0] = {};
  const ToyProof proof = ToyProver(reduced, check_proof::kEnergy).run();
  EXPECT_EQ(ToyProver(whole, check_proof::kEnergy).run().best.energy, proof.best.energy);
  const std::string good = proof.text(text, proof.claim + "\nreduce batch M");
  EXPECT_EQ(check(good).verdict, Verdict::Accepted) << check(good).what;
  const std::string bad = proof.text(text, proof.claim + "\nreduce batch K");
  EXPECT_EQ(check(bad).verdict, Verdict::Rejected);
}

// Tensors and limits treat M and N alike; anything that does not is a reason against it.
TEST(CheckProofReading, MergesDimensionsThatAreAlike) {
  const std::string text =
      "heliolite-instance 1\nunit 0\nmac 1\ndim M 4\ndim N 2\ndim K 2\ntensor A input M N K\ntensor B input K\n"
      "tensor Z output M N\nlevel Buf room 9 block 1 read 1 fill 2 update 1\nkeep A B Z\nloops M:1-4 N:1-2 K:1-2\n"
      "level DRAM room - block 1 read 4 fill 8 update 4\nkeep A B Z\nloops M:1-4 N:1-2 K:1-2\n"
      "fanout 2 2\nx M N K\ny N\nunroll M:1-4 N:1-2 K:1-2\n";
  const auto merged = [](const std::string& of) {
    const std::string line = "reduce merge M N\n";
    check_proof::Lines lines(line);
    check_proof::Instance out = instance_of_text(of);
    lines.next();
    check_proof::reduce(out, lines);
    return out;
  };
  const std::string alike = replaced(text, "y N", "y M N");
  const check_proof::Instance whole = instance_of_text(alike), one = merged(alike);
  EXPECT_EQ(one.size, (std::vector<check_proof::u64>{8, 1, 2}));
  for (const check_proof::Objective objective : {check_proof::kEnergy, check_proof::kEdp, check_proof::kDelay}) {
    const ToyProof proof = ToyProver(one, objective).run();
    EXPECT_EQ(ToyProver(whole, objective).run().best.energy, proof.best.energy);
    const std::string good = proof.text(alike, proof.claim + "\nreduce merge M N");
    EXPECT_EQ(check(good).verdict, Verdict::Accepted) << check(good).what;
    EXPECT_EQ(check(proof.text(alike, proof.claim + "\nreduce merge M K")).verdict, Verdict::Rejected);
  }
  const auto is_refused = [&](const std::string& of) { EXPECT_THROW(merged(of), check_proof::Wrong) << of; };
  is_refused(text);                                                 // one axis is open to N alone
  is_refused(replaced(alike, "B input K", "B input N K"));          // B has N alone
  is_refused(replaced(alike, "A input M N K", "A input M 2*N K"));  // N skips words
  is_refused(replaced(alike, "A input M N K", "A input M N+K"));    // N slides
  is_refused(replaced(replaced(alike, "dim K 2", "dim K 2\ndim L 2"), "B input K", "B input K+L"));  // B slides past
  is_refused(replaced(alike, "loops M:1-4 N:1-2", "loops M:1-2 N:1-2"));
  is_refused(replaced(alike, "loops M:1-4 N:1-2", "loops M:4-4 N:1-2"));
  is_refused(replaced(alike, "fanout 2 2", "fanout 2 2 one"));
  is_refused(replaced(alike, "unroll M:1-4", "unroll M:1-2"));
  EXPECT_EQ(merged(replaced(alike, "loops M:1-4 N:1-2", "loops M:4-4 N:2-2")).levels[0].loops[0].least, 8U);
}

// Bytes changed, cut out and put in at random: an answer, always, and no acceptance of another instance's digest.
TEST(CheckProofReading, AnswersToAnyBytes) {
  const std::string text = tiny();
  ProofToys random(7);
  for (int k = 0; k < 3000; ++k) {
    std::string mutant = text;
    for (unsigned changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(mutant.size());
      switch (random.below(4)) {
        case 0: mutant[at] = static_cast<char>(random.below(256)); break;
        case 1: mutant.erase(at, 1 + random.below(30)); break;
        case 2: mutant.insert(at, mutant.substr(random.below(mutant.size()), random.below(30))); break;
        default: mutant[at] = "0123456789:,-/ \nMNKZsrm"[random.below(23)];
      }
      if (mutant.empty()) mutant = "s";
    }
    const Checked a = check(mutant);
    EXPECT_FALSE(a.what.empty());
  }
}

}  // namespace
}  // namespace heliolite::check_proof_reading_test
