// Workloads as compact text: what is read, and the column of every complaint.
#include "workloads/einsum_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "workloads/compact_text.h"

namespace heliolite::einsum_text_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// "Z[M,2*P+R](output)" for every tensor, and the sizes.
std::string shown(const Workload& w) {
  std::string out;
  for (const Tensor& t : w.tensors) {
    out += t.name + "[";
    for (const Rank& rank : t.ranks) {
      if (&rank != &t.ranks.front()) out += ",";
      for (const Term& term : rank.terms) {
        if (&term != &rank.terms.front()) out += "+";
        if (term.coefficient != 1) out += std::to_string(term.coefficient) + "*";
        out += w.dimensions[static_cast<std::size_t>(term.dimension)].name;
      }
    }
    out += t.is_output() ? "]=" : "] ";
  }
  for (const Dimension& d : w.dimensions) out += " " + d.name + "=" + std::to_string(d.size);
  return out;
}

std::string parse(std::string_view text) {
  const Result<Workload> w = parse_compact_text(text);
  return w.ok() ? shown(*w) : to_string(w.errors());
}

TEST(EinsumText, ReadsFormulas) {
  EXPECT_EQ(parse("o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=256,j=32,k=256,l=256"),
            "a[i,k,l] b[k,j] c[l,j] o[i,j]= i=256 j=32 k=256 l=256");
  EXPECT_EQ(parse("  out [ p ] = ifmap[ c , 2*p + r*3 ] * w[c,r] ;p = 4 c=2; r=3"),
            "ifmap[c,2*p+3*r] w[c,r] out[p]= p=4 c=2 r=3");
  EXPECT_EQ(parse("s[i] += a[i,i+k]; i=2,k=65"), "a[i,i+k] s[i]= i=2 k=65");
}

TEST(EinsumText, ReadsNamedShapes) {
  EXPECT_EQ(parse("gemm:512x256X128"), "A[M,K] B[K,N] Z[M,N]= M=512 N=256 K=128");
  EXPECT_EQ(parse("GEMM: m=4, K=5 n=6"), "A[M,K] B[K,N] Z[M,N]= M=4 N=6 K=5");
  EXPECT_EQ(parse("bmm:12x512x512x64"), "A[H,M,K] B[H,K,N] Z[H,M,N]= H=12 M=512 N=512 K=64");
  EXPECT_EQ(parse("mttkrp:2x3x4x5"), "A[I,K,L] B[K,J] C[L,J] Z[I,J]= I=2 J=3 K=4 L=5");
  EXPECT_EQ(parse("ttmc:2x3x4x5x6"), "A[I,J,K] B[J,L] C[K,M] Z[I,L,M]= I=2 J=3 K=4 L=5 M=6");
  EXPECT_EQ(parse("sddmm:2x3x4"), "S[I,J] A[I,K] B[K,J] Z[I,J]= I=2 J=3 K=4");
  EXPECT_EQ(parse("mmc:2x3x4x5"), "A[I,J] B[J,K] C[K,L] Z[I,L]= I=2 J=3 K=4 L=5");
  EXPECT_EQ(parse("tcl:2x3x4x5x6x7"), "A[I,J,K] B[I,L] C[J,M] D[K,N] Z[L,M,N]= I=2 J=3 K=4 L=5 M=6 N=7");
}

TEST(EinsumText, ReadsConvolutions) {
  EXPECT_EQ(parse("conv:k=64,c=32,p=56,r=3"),
            "Weights[C,K,R,S] Inputs[N,C,R+P,S+Q] Outputs[N,K,Q,P]= R=3 S=3 P=56 Q=56 C=32 K=64 N=1");
  EXPECT_EQ(parse("conv:n=2,k=64,c=32,p=56,q=55,r=3,s=1,wstride=2,hdilation=4"),
            "Weights[C,K,R,S] Inputs[N,C,R+2*P,4*S+Q] Outputs[N,K,Q,P]= R=3 S=1 P=56 Q=55 C=32 K=64 N=2");
  EXPECT_EQ(parse("conv:k=64,c=32,p=7,stride=2,dilation=3"),
            "Weights[C,K,R,S] Inputs[N,C,3*R+2*P,3*S+2*Q] Outputs[N,K,Q,P]= R=1 S=1 P=7 Q=7 C=32 K=64 N=1");
  EXPECT_EQ(parse("conv:k=64,c=32,p=7,r=3,groups=8"),
            "Weights[G,C,K,R,S] Inputs[N,G,C,R+P,S+Q] Outputs[N,G,K,Q,P]= R=3 S=3 P=7 Q=7 C=4 K=8 N=1 G=8");
  EXPECT_EQ(parse("fc:c=512,k=1000"),
            "Weights[C,K,R,S] Inputs[N,C,R+P,S+Q] Outputs[N,K,Q,P]= R=1 S=1 P=1 Q=1 C=512 K=1000 N=1");
  const std::string depthwise = "Weights[C,R,S] Inputs[N,C,R+2*P,S+2*Q] Outputs[N,C,Q,P]= R=3 S=3 P=7 Q=7 C=32 N=1";
  EXPECT_EQ(parse("depthwise:c=32,p=7,r=3,stride=2"), depthwise);
  EXPECT_EQ(parse("conv:k=32,c=32,p=7,r=3,stride=2,groups=32"), depthwise);
}

// N'=C, C'=N, K'=K, R'=P, S'=Q, P'=R, Q'=S; a stride becomes a dilation.
TEST(EinsumText, SwapsRolesForAWeightUpdate) {
  EXPECT_EQ(parse("conv_wu:n=16,k=48,c=32,p=8,q=9,r=3,s=1,wstride=2,hdilation=5"),
            "Weights[C,K,R,S] Inputs[N,C,2*R+P,S+5*Q] Outputs[N,K,Q,P]= R=8 S=9 P=3 Q=1 C=16 K=48 N=32");
}

TEST(EinsumText, PointsAtTheColumn) {
  const auto at = [](int column, std::string_view what) {
    return HasSubstr("column " + std::to_string(column) + ": " + std::string(what));
  };
  EXPECT_THAT(parse("o[i] += a[i,k]; i=0,x=4"), AllOf(at(19, "i = 0, must be an integer from 1 to 2147483647"),
                                                      at(21, "unknown dimension 'x', must be one of i or k")));
  EXPECT_THAT(parse("o[i,j] += a[i,k]*b[k,j]; i=8,j=-8,k=4"), at(32, "j = -8, must be an integer from 1"));
  EXPECT_THAT(parse("o[i] += a[i]; i=1099511627776"), at(17, "i = 1099511627776, must be"));
  EXPECT_THAT(parse("o[i] += a[i]; i=99999999999999999999999999"), at(17, "i = 99999999999999999999999999, must be"));
  EXPECT_THAT(parse("o[i] += a[i]; i=1.5"), at(17, "i = 1.5, must be"));
  EXPECT_THAT(parse("o[i] += a[i]; i=4,i=4"), at(19, "a second size for dimension i"));
  EXPECT_THAT(parse("o[i] += a[i]; i"), at(16, "expected a size like i=256, found the end"));
  EXPECT_THAT(parse("o[i], z[i] += a[i]"), at(7, "a second output"));
  EXPECT_THAT(parse("o[i] a[i]"), at(6, "expected '+=' after the output, found 'a'"));
  EXPECT_THAT(parse("o[i] += a[i"), at(12, "expected ',', '+' or ']' in tensor a, found the end"));
  EXPECT_THAT(parse("o[i] += a"), at(10, "expected '[' after tensor a, found the end"));
  EXPECT_THAT(parse("o[i] += a[i]*"), at(14, "expected a tensor like a[i,k], found the end"));
  EXPECT_THAT(parse("o[i] += a[i] b[i]"), at(14, "expected '*' and another tensor"));
  EXPECT_THAT(parse("o[i] += a[70000*i]"), at(11, "factor 70000, must be an integer from 1 to 65535"));
  EXPECT_THAT(parse("o[i] += a[i*0]"), at(13, "factor 0, must be"));
  EXPECT_THAT(parse("o[i] += a[2i]"), at(12, "expected '*' and a dimension after the factor 2"));
  EXPECT_THAT(parse("o[i] += a[i-]"), at(13, "expected a dimension, like p or 2*p, found ']'"));
  EXPECT_THAT(parse("o[i] += a[i--k]"), at(13, "expected a dimension, like p or 2*p, found '-'"));
  EXPECT_THAT(parse("o[i] += a[i]*b[i] + c[i]*d[i]; i=2"), at(19, "found '+': an Einsum sums one product of tensors"));
  EXPECT_THAT(parse("o[i] += a[i] - b[i]; i=2"), at(14, "found '-': an Einsum sums one product"));
  EXPECT_THAT(parse("o[i,] += a[i]"), at(5, "expected a dimension"));
  EXPECT_THAT(parse("o[i] += a[i*k]"), at(13, "expected a factor"));
}

// Offsets shift a tensor, and a loop that runs from its end makes a difference a sum: no number of words depends on
// either.
TEST(EinsumText, LeavesOutOffsetsAndSigns) {
  const std::string plain = parse("o[p] += i[p+r]*w[r]; p=8,r=3");
  EXPECT_EQ(plain, "i[p+r] w[r] o[p]= p=8 r=3");
  for (const char* rank : {"p+r-1", "p+r+2", "p-1+r", "3+p+r-4", "p-r", "p-r+2", "-p-r", "7-p-r", "-p+r"})
    EXPECT_EQ(parse(std::string("o[p] += i[") + rank + "]*w[r]; p=8,r=3"), plain) << rank;
  EXPECT_EQ(parse("o[p] += i[p-r]*w[2-r]; p=8,r=3"), plain);
  EXPECT_EQ(parse("o[p,q] += i[2*p-3*r+1,q-s]*w[r,s]; p=2,q=2,r=2,s=2"),
            "i[2*p+3*r,q+s] w[r,s] o[p,q]= p=2 q=2 r=2 s=2");
  EXPECT_EQ(parse("o[i] += a[i,0]*b[1,i]*c[2]; i=4"), "a[i] b[i] c[] o[i]= i=4");
  // Of three ranks with two dimensions each no direction of the loops makes sums.
  EXPECT_THAT(parse("o[p] += a[p+r]*b[p-r]; p=8,r=3"), HasSubstr("p and r are added in one rank and subtracted in"));
  EXPECT_THAT(parse("o[p] += a[p+r]*b[r+s]*c[p-s]; p=8,r=3,s=2"), HasSubstr("the signs in ranks contradict"));
  EXPECT_EQ(parse("o[p] += a[p-r]*b[r-s]*c[p+s]; p=8,r=3,s=2"), "a[p+r] b[r+s] c[p+s] o[p]= p=8 r=3 s=2");
  std::vector<std::string> notes;
  ASSERT_TRUE(parse_einsum("o[p] += i[p+r]*w[r]; p=8,r=3", &notes));
  EXPECT_THAT(notes, ::testing::IsEmpty());
  ASSERT_TRUE(parse_einsum("o[p] += i[p-r+1]*w[r]; p=8,r=3", &notes));
  EXPECT_THAT(notes, ::testing::ElementsAre(HasSubstr("offsets in subscripts"), HasSubstr("counted from the end")));
}

TEST(EinsumText, ReadsATensorTwice) {
  const Result<Workload> syrk = parse_einsum("C[i,j] += A[i,k]*A[j,k]; i=4,j=4,k=2");
  ASSERT_TRUE(syrk.ok()) << to_string(syrk.errors());
  ASSERT_EQ(syrk->tensors.size(), 3U);
  EXPECT_EQ(syrk->tensors[0].name, "A");
  EXPECT_EQ(syrk->tensors[1].name, "A#2");
  EXPECT_EQ(syrk->tensors[0].access_of, std::nullopt);
  EXPECT_EQ(syrk->tensors[1].access_of, 0);
  EXPECT_EQ(syrk->tensors[2].access_of, std::nullopt);
  EXPECT_EQ(parse_einsum("o[i] += a[i]*b[i]*a[i]*a[i]; i=4")->tensors[3].name, "a#3");
  EXPECT_THAT(parse("o[i] += a[i]*a[i,i]; i=4"), HasSubstr("a#2 has 2 ranks as another access of a, which has 1"));
}

TEST(EinsumText, ScalarsHaveNoRanks) {
  const auto dot = parse_einsum("o[] += a[i]*b[i]*alpha[]; i=4");
  ASSERT_TRUE(dot.ok()) << to_string(dot.errors());
  EXPECT_TRUE(dot->tensors[static_cast<std::size_t>(dot->output())].ranks.empty());
  EXPECT_EQ(dot->tensor_words(dot->output()), 1);
  EXPECT_EQ(dot->macs(), 4);
}

TEST(EinsumText, ExplainsWhatIsMissingOrTooMuch) {
  EXPECT_THAT(parse("o[i,j] += a[i,k]*b[k,j]; i=8,k=4"), HasSubstr("no size for dimension j"));
  EXPECT_THAT(parse("o[i] += o[i]; i=4"), HasSubstr("two tensors have the name 'o'"));
  EXPECT_THAT(parse("o[i] += a[i+2*i]; i=4"), HasSubstr("dimension i occurs twice in one rank of a"));
  EXPECT_THAT(parse("o[a] += x[a+b+c+d+e]; a=1,b=1,c=1,d=1,e=1"), HasSubstr("a sum of 5 terms, must be 1 to 4"));
  EXPECT_THAT(parse("o[a] += x[a,a,a,a,a,a,a,a,a]; a=1"), HasSubstr("x has 9 ranks, must be at most 8"));
  EXPECT_THAT(parse("o[i]+=a[i]*b[i]*c[i]*d[i]*e[i]*f[i]*g[i]*h[i]; i=1"), HasSubstr("9 tensors, must be 2 to 8"));
  EXPECT_THAT(parse("o[a,b,c,d,e,f,g] += x[h,i,j,k,l,m]; a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1"),
              HasSubstr("13 dimensions, must be 1 to 12"));
  EXPECT_THAT(parse("gemm:1000000x1000000x1000000"), HasSubstr("more than 4000000000000000 multiply-accumulates"));
  EXPECT_THAT(parse("o[i] += a[i]" + std::string(20'000, ' ')), HasSubstr("longer than 10000 characters"));
}

TEST(EinsumText, ExplainsNamedShapes) {
  EXPECT_EQ(parse("gem:1x2x3"), "gem:1x2x3: column 1: unknown kind of workload 'gem', did you mean 'gemm'?");
  EXPECT_THAT(parse("foo:1"), HasSubstr("must be one of conv, depthwise, fc"));
  EXPECT_EQ(parse("gemm:1x2"), "gemm:1x2: column 6: 2 sizes, gemm takes 3 (MxNxK)");
  EXPECT_EQ(parse("gemm:1x2x3x4"), "gemm:1x2x3x4: column 6: 4 sizes, gemm takes 3 (MxNxK)");
  EXPECT_EQ(parse("gemm:1x0x3"), "gemm:1x0x3: column 8: n = 0, must be an integer from 1 to 2147483647");
  EXPECT_EQ(parse("gemm:1x-5x3"), "gemm:1x-5x3: column 8: n = -5, must be an integer from 1 to 2147483647");
  EXPECT_THAT(parse("gemm:1xax3"), HasSubstr("column 8: expected a size, found 'ax3'"));
  EXPECT_THAT(parse("gemm:1x2x3 4"), HasSubstr("column 12: expected 'x' and another size, found '4'"));
  EXPECT_THAT(parse("gemm:"), HasSubstr("gemm needs m, n and k"));
  EXPECT_THAT(parse("gemm:m=2,n=2"), HasSubstr("gemm needs k (it takes m, n and k)"));
  EXPECT_THAT(parse("gemm:m=2,m=2,n=1,k=1"), HasSubstr("column 10: a second value for m"));
  EXPECT_THAT(parse("conv:64x64"), HasSubstr("conv takes names, like conv:c=64"));
  EXPECT_THAT(parse("conv:k=4,c=4,p=4,strid=2"), HasSubstr("column 18: conv has no 'strid', did you mean 'stride'?"));
  EXPECT_THAT(parse("conv:k=4,c=4,p=4,stride=65536"), HasSubstr("stride = 65536, must be an integer from 1 to 65535"));
  EXPECT_THAT(parse("conv:k=4,c=4,p=4,stride=2,hstride=2"), HasSubstr("stride sets both directions"));
  EXPECT_THAT(parse("conv:k=4,c=6,p=4,groups=4"), HasSubstr("groups = 4, must divide the channels c = 6 and k = 4"));
  EXPECT_THAT(parse("conv_wu:k=4,c=4,p=4,groups=2"), HasSubstr("groups = 2, must be 1 for a weight update"));
  EXPECT_THAT(parse("conv:k"), HasSubstr("column 7: expected a size like n=64, found the end"));
}

TEST(EinsumText, TellsTextFromNames) {
  for (const char* text : {"gemm:1x2x3", "foo: x", "o[i] += a[i]", "a[i", "x += y"})
    EXPECT_TRUE(is_compact_text(text)) << text;
  for (const char* text : {"resnet18", "resnet18/conv1", "./a.yaml", "", "resnet18@batch=2"})
    EXPECT_FALSE(is_compact_text(text)) << text;
}

TEST(EinsumText, ReadsOneRank) {
  const std::vector<Dimension> dimensions{{"P", 4}, {"R", 3}};
  LeftOut left_out;
  const Result<Rank> rank = parse_rank("2*P + R", dimensions, left_out);
  ASSERT_TRUE(rank.ok());
  ASSERT_EQ(rank->terms.size(), 2U);
  EXPECT_EQ(rank->terms[0].coefficient, 2U);
  EXPECT_EQ(rank->terms[1].dimension, 1);
  EXPECT_THAT(to_string(parse_rank("2*X", dimensions, left_out).errors()),
              HasSubstr("column 3: unknown dimension 'X', must be one of P or R"));
  EXPECT_THAT(to_string(parse_rank("P,R", dimensions, left_out).errors()),
              HasSubstr("column 2: expected '+' or the end"));
  EXPECT_FALSE(parse_rank("", dimensions, left_out).ok());
  EXPECT_TRUE(parse_rank("2", dimensions, left_out)->terms.empty());
  EXPECT_EQ(left_out.problem(dimensions), "");
  EXPECT_TRUE(parse_rank("P-R", dimensions, left_out).ok());
  EXPECT_THAT(left_out.problem(dimensions), HasSubstr("P and R are added in one rank and subtracted in another"));
}

// A random workload, written as text and read back, is the same.
RC_GTEST_PROP(EinsumText, ReadsWhatIsWritten, ()) {
  const int dims = *rc::gen::inRange(1, 7);
  const auto rank = [&] {
    std::vector<int> all(static_cast<std::size_t>(dims));
    for (int d = 0; d < dims; ++d) all[static_cast<std::size_t>(d)] = d;
    const auto chosen = *rc::gen::suchThat(
        rc::gen::container<std::vector<bool>>(static_cast<std::size_t>(dims), rc::gen::arbitrary<bool>()),
        [](const std::vector<bool>& c) {
          const auto n = std::ranges::count(c, true);
          return n >= 1 && n <= 4;
        });
    std::string text;
    for (std::size_t d = 0; d < chosen.size(); ++d) {
      if (!chosen[d]) continue;
      const int factor = *rc::gen::inRange(1, 5);
      text += (text.empty() ? "" : "+") + (factor == 1 ? "" : std::to_string(factor) + "*") + "d" + std::to_string(d);
    }
    return text;
  };
  std::string all_dims, sizes, written;
  for (int d = 0; d < dims; ++d) {
    all_dims += (d > 0 ? ",d" : "d") + std::to_string(d);
    sizes += " d" + std::to_string(d) + "=" + std::to_string(*rc::gen::inRange(1, 100));
  }
  const std::string a = "a[" + rank() + "," + rank() + "]", b = "b[" + rank() + "]";
  RC_ASSERT(parse("z[" + all_dims + "] += " + a + "*" + b + ";" + sizes) ==
            a + " " + b + " z[" + all_dims + "]=" + sizes);
}

RC_GTEST_PROP(EinsumText, SurvivesAnything, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
      "o", "[",     "i",     "]", "+=",  "=", "a",  "*",    "+",    "-", ",", ";", "2", "0", "99999999999999999999",
      " ", "gemm:", "conv:", "x", "k=4", "p", "\n", "\xff", "c=64,"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const Result<Workload> w = parse_compact_text(text);
  RC_ASSERT((w.ok() ? check(*w).empty() : !w.errors().empty()));
}

}  // namespace
}  // namespace heliolite::einsum_text_test
