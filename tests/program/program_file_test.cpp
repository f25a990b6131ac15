// Reading affine programs: the subset of C, complaints with their lines, and texts that are no programs at all.
#include "engine/program/affine_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/file_bytes.h"
#include "engine/program/count.h"
#include "tests/support/text_mutation.h"

namespace heliolite::program_file_test {
namespace {

// Between the pragmas, which are in lines 1 and 2 + lines.
std::string scop(const std::string& body) { return "#pragma scop\n" + body + "\n#pragma endscop\n"; }

AffineProgram parsed(const std::string& text) {
  Result<AffineProgram> program = parse_program(text, "p.c");
  EXPECT_TRUE(program.ok()) << to_string(program.errors());
  return std::move(program).value();
}

bool is_equal(const isl::set& set, const std::string& text) { return set.is_equal(isl::set(set.ctx(), text)); }
bool is_equal(const isl::map& map, const std::string& text) { return map.is_equal(isl::map(map.ctx(), text)); }

TEST(ProgramFile, StatementsHaveDomainsSchedulesAndAccesses) {
  const AffineProgram p =
      parsed(scop("for (int i = 0; i < N; i++) {\n"
                  "  s[i] = 0;\n"
                  "  for (int j = i; j >= 1; j -= 2) s[i] += A[2 * i - j + 1][j] * x;\n"
                  "}"));
  ASSERT_EQ(p.statements.size(), 2);
  const ProgramStatement& s = p.statements[1];
  EXPECT_EQ(s.line, 4);
  EXPECT_EQ(s.text, "s[i] += A[2 * i - j + 1][j] * x;");
  EXPECT_EQ(s.loops, (std::vector<std::string>{"i", "j"}));
  EXPECT_TRUE(is_equal(s.domain, "[N] -> { S1[i, j] : 0 <= i < N and 1 <= j <= i and (i - j) mod 2 = 0 }"));
  EXPECT_TRUE(is_equal(s.schedule, "[N] -> { S1[i, j] -> [0, i, 1, -j, 0] }"));
  EXPECT_TRUE(is_equal(p.statements[0].schedule, "[N] -> { S0[i] -> [0, i, 0, 0, 0] }"));
  EXPECT_TRUE(is_equal(s.write.element, "[N] -> { S1[i, j] -> s[i] }"));
  EXPECT_EQ(s.compound, '+');
  EXPECT_EQ(s.operations, 2);  // + and *
  ASSERT_EQ(s.reads.size(), 3);
  EXPECT_TRUE(is_equal(s.reads[1].element, "[N] -> { S1[i, j] -> A[2i - j + 1, j] }"));
  EXPECT_EQ(p.arrays[static_cast<std::size_t>(s.reads[2].array)].dimensions, 0);
}

TEST(ProgramFile, ReadsTheFilesOfPolyBench) {
  const AffineProgram p = parsed(
      "/* A header with \"quotes\" and #pragma scop in it. */\n"
      "#include <math.h>\n"
      "static void kernel(int n, DATA_TYPE POLYBENCH_2D(A,N,N,n,n)) {\n"
      "  int i, j;  char quote = '\"';\n"
      "#pragma scop\n"
      "  for (i = 0; i < _PB_N; i++) {\n"
      "    for (j = _PB_N - 1; j > i; --j)\n"
      "      if (!(i == j) && (j >= 2 || i < 5)) A[i][j] = SCALAR_VAL(1.0) / SQRT_FUN((DATA_TYPE)A[j][i] - N);\n"
      "      else { A[i][j] = A[i][j] <= eps ? SCALAR_VAL(0.0) : -A[i][j]; }\n"
      "  }\n"
      "#pragma endscop\n"
      "}\n");
  EXPECT_EQ(p.parameters, std::vector<std::string>{"N"});
  ASSERT_EQ(p.statements.size(), 2);
  EXPECT_TRUE(is_equal(p.statements[0].domain,
                       "[N] -> { S0[i, j] : 0 <= i < j < N and (i < j or i > j) and (j >= 2 or i < 5) }"));
  EXPECT_TRUE(is_equal(p.statements[1].domain, "[N] -> { S1[i, j] : 0 <= i < j < N and j < 2 and i >= 5 }"));
  EXPECT_EQ(p.statements[0].reads.size(), 1);  // the parameter is a number
  EXPECT_EQ(p.statements[0].operations, 3);
  EXPECT_EQ(p.statements[1].reads.size(), 2);  // A[i][j] once, eps
}

// What does not change in the innermost loop is computed before it.
TEST(ProgramFile, QuotientsAndRemaindersAreAffine) {
  const AffineProgram p = parsed(
      scop("for (int t = 1; t < T; t++)\n"
           "  for (int i = 0; i < N / 2; i++)\n"
           "    if (i >= 1 && (i - 1) % 3 == 0) A[t % 2][2 * i % 5 + i / 4] = A[(t - 1) % 2][i] + A[t % 2][7 % 4];"));
  const ProgramStatement& s = p.statements[0];
  EXPECT_TRUE(is_equal(s.domain, "[T, N] -> { S0[t, i] : 1 <= t < T and 1 <= i < floor(N/2) and (i - 1) mod 3 = 0 }"));
  EXPECT_TRUE(is_equal(s.write.element, "[T, N] -> { S0[t, i] -> A[t mod 2, ((2i) mod 5) + floor(i/4)] }"));
  EXPECT_TRUE(is_equal(s.reads[0].element, "[T, N] -> { S0[t, i] -> A[(t - 1) mod 2, i] }"));
  EXPECT_TRUE(is_equal(s.reads[1].element, "[T, N] -> { S0[t, i] -> A[t mod 2, 3] }"));
  // What is divided depends on its index: the sum is computed in every iteration.
  EXPECT_EQ(parsed(scop("for (i = 0; i < N; i++) x = A[i % 2] + y;")).statements[0].operations, 1);
}

TEST(ProgramFile, AssignmentsInChainsAndSteps) {
  const AffineProgram p =
      parsed(scop("a = b = 0.5;\n"
                  "for (int i = 0; i < N; i = 2 + i) { x[i] += y[i] = a * b; n++; --m[i]; z %= 3; }\n"
                  "for (int j = N; j > 0; j += -1) x[j]--;"));
  std::vector<std::string> texts;
  for (const ProgramStatement& s : p.statements) texts.push_back(s.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"b = 0.5;", "a = b = 0.5;", "y[i] = a * b;", "x[i] += y[i] = a * b;",
                                             "n++;", "--m[i];", "z %= 3;", "x[j]--;"}));
  const ProgramStatement &value = p.statements[2], &sum = p.statements[3];
  EXPECT_EQ(sum.reads.size(), 2);  // x[i] and y[i]
  EXPECT_EQ(sum.operations, 1);
  EXPECT_EQ(value.operations, 0);  // a * b is the same in every iteration
  EXPECT_TRUE(is_equal(value.domain, "[N] -> { S2[i] : 0 <= i < N and i mod 2 = 0 }"));
  EXPECT_TRUE(is_equal(sum.schedule, "[N] -> { S3[i] -> [2, i, 1] }"));
  EXPECT_EQ(p.statements[4].compound, '+');
  EXPECT_EQ(p.statements[5].compound, '-');
  EXPECT_EQ(p.statements[5].operations, 1);
  EXPECT_TRUE(is_equal(p.statements[7].domain, "[N] -> { S7[j] : 0 < j <= N }"));
  EXPECT_TRUE(is_equal(p.statements[7].schedule, "[N] -> { S7[j] -> [3, -j, 0] }"));
}

TEST(ProgramFile, PragmasOfCompilersAreLeftOutAndNamed) {
  const AffineProgram p =
      parsed(scop("#pragma omp parallel for \\\n  schedule(static)\n"
                  "for (i = 0; i < N; i++) {\n#pragma omp simd\n#pragma unroll\n  for (j = 0; j < N; j++)\n"
                  "#pragma omp atomic\n    s += A[i][j];\n_Pragma(\"omp barrier\")\n}\n#pragma omp barrier"));
  EXPECT_EQ(p.statements.size(), 1);
  EXPECT_EQ(p.statements[0].depth(), 2);
  ASSERT_EQ(p.notes.size(), 3);
  EXPECT_EQ(p.notes[1], "'#pragma omp' is ignored, 4 times: the program runs in the order of its text");
  EXPECT_EQ(p.notes[2], "'#pragma unroll' is ignored: the program runs in the order of its text");
}

TEST(ProgramFile, OperationsAreThoseOfTheInnermostLoop) {
  const AffineProgram p =
      parsed(scop("for (i = 0; i < N; i++)\n"
                  "  for (j = 0; j < N; j++) {\n"
                  "    s = s * 0.5 + a * b;\n"
                  "    A[i] = (1.0 + 2.0 * b) * B[i] + j * b;\n"
                  "    C[j] += A[i] < s ? B[i] * b : C[j] * C[j] + 1.0;\n"
                  "  }\n"
                  "x = sqrt(x) + y;"));
  EXPECT_EQ(p.statements[0].operations, 2);  // s * 0.5, and the sum
  EXPECT_EQ(p.statements[1].operations, 2);  // j * b, and the last sum
  EXPECT_EQ(p.statements[2].operations, 4);  // <, *, + and +=
  EXPECT_EQ(p.statements[3].operations, 2);
}

// Leading terms where all parameters are n: coefficient * n^exponent.
struct Operations {
  const char* kernel;
  double coefficient;
  int exponent;
};

TEST(ProgramFile, OperationsOfTheKernels) {
  const std::vector<Operations> published{
      {"2mm", 4, 3},         {"3mm", 6, 3},           {"adi", 30, 3},        {"atax", 4, 2},
      {"bicg", 4, 2},        {"cholesky", 1. / 3, 3}, {"correlation", 1, 3}, {"covariance", 1, 3},
      {"deriche", 32, 2},    {"doitgen", 2, 4},       {"durbin", 2, 2},      {"fdtd-2d", 11, 3},
      {"gemm", 2, 3},        {"gemver", 10, 2},       {"gesummv", 4, 2},     {"floyd-warshall", 2, 3},
      {"gramschmidt", 2, 3}, {"heat-3d", 30, 4},      {"jacobi-1d", 6, 2},   {"jacobi-2d", 10, 3},
      {"lu", 2. / 3, 3},     {"ludcmp", 2. / 3, 3},   {"mvt", 4, 2},         {"nussinov", 1. / 3, 3},
      {"seidel-2d", 9, 3},   {"symm", 2, 3},          {"syr2k", 2, 3},       {"syrk", 1, 3},
      {"trisolv", 1, 2},     {"trmm", 1, 3}};
  EXPECT_EQ(published.size(), 30);
  constexpr i64 kSize = 100'000;
  for (const Operations& o : published) {
    const Result<AffineProgram> p =
        load_program(std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench/" + o.kernel + ".c");
    ASSERT_TRUE(p.ok()) << o.kernel;
    ParameterValues values;
    for (const std::string& name : p->parameters) values[name] = kSize;
    double total = 0;
    for (const ProgramStatement& s : p->statements)
      total += static_cast<double>(s.operations) * static_cast<double>(*count_at(p->context, s.domain, values));
    EXPECT_NEAR(total / std::pow(kSize, o.exponent) / o.coefficient, 1, 1e-3) << o.kernel;
  }
}

struct Broken {
  const char* body;
  int line;
  const char* says;
};

TEST(ProgramFile, ComplaintsNameTheLineAndTheText) {
  const std::vector<Broken> broken{
      {"for (i = 0; i < N; i++)\n  A[i * i] = 0;", 3, "'i * i' is not affine"},
      {"for (i = 0; i < N; i++)\n  A[i] = B[C[i]];", 3, "'C[..' is not affine"},
      {"for (i = 0; i < N; i--)\n  A[i] = 0;", 2, "runs away from its bound"},
      {"for (i = 0; i < N; i += M)\n  A[i] = 0;", 2, "must be a number other than 0, not (1*M + 0)"},
      {"for (i = 0; i < N && i < M; i++)\n  A[i] = 0;", 2, "a loop has one bound"},
      {"for (i = 0; i < N; i++) {\n  A[i] = 0;\n", 5, "expected '}' for the '{' of line 2"},
      {"A[0] = 0;\nA[0][1] = 1;", 3, "'A' with 2 subscripts, in line 2 with 1"},
      {"for (i = 0; i < N; i++)\n  for (i = 0; i < M; i++) A[i] = 0;", 3, "a loop over 'i' within one over 'i'"},
      {"for (i = 0; i < N; i++) s = 0;\nA[i] = s;", 3, "'i' outside of its loop, which is in line 2"},
      {"for (i = 0; i < N; i++)\n  N = A[i];", 3, "'N' is assigned, and in a subscript or bound of line 2"},
      {"while (x > 0)\n  x = x / 2;", 2, "expected 'for', 'if', '{' or an assignment, found 'while'"},
      {"for (i = 0; i < N / M; i++) A[i] = 0;", 2, "'N / M' is not affine: '/' takes a number above 0"},
      {"for (i = 0; i < N; i++)\n  A[(i - 1) % 2] = 0;", 3, "'(i - 1) % 2' divides what may be negative"},
      {"for (i = 0; i < N; i = j + 1)\n  A[i] = 0;", 2, "must begin with its index"},
      {"x = 1 + y++;", 2, "'++' in an expression is not allowed"},
      {"x = (y = 2);", 2, "expected ')' in an expression, found '='"},
      {"A[i] = *p;", 2, "pointers are not read"},
      {"if (A[0] > 0) B[0] = 1;", 2, "'A[..' is not affine"},
      {"A[99999999999999999999] = 1;", 2, "no whole number"},
      {"A[4000000000] = 1;", 2, "a number beyond 1000000000"},
      {"A[mod] = 1;", 2, "'mod' is a word of the notation of sets"},
      {"x = 1 +;", 2, "expected a value, found ';'"},
      {"#if 1\nx = 1;", 2, "inside the program is not read"},
      {"", 3, "no assignment in the program"},
  };
  for (const Broken& b : broken) {
    const Result<AffineProgram> program = parse_program(scop(b.body), "p.c");
    ASSERT_FALSE(program.ok()) << b.body;
    EXPECT_EQ(program.errors()[0].line, b.line) << b.body << "\n" << to_string(program.errors());
    EXPECT_THAT(program.errors()[0].message, ::testing::HasSubstr(b.says)) << b.body;
  }
}

TEST(ProgramFile, ReportsAllComplaintsAboutMeaning) {
  const Result<AffineProgram> program = parse_program(scop("A[i*i] = B[j % M];\nA[0][0] = 0;\nrat = N[0];"), "p.c");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(to_string(program.errors()),
            "p.c:2: 'i*i' is not affine: one factor of a product must be a number\n"
            "p.c:2: 'j % M' is not affine: '%' takes a number above 0\n"
            "p.c:3: 'A' with 2 subscripts, in line 2 with 1\n"
            "p.c:4: 'rat' is a word of the notation of sets; use another name");
}

TEST(ProgramFile, NeedsOneProgram) {
  const auto says = [](const std::string& text) { return to_string(parse_program(text, "p.c").errors()); };
  EXPECT_THAT(says("int main() {}"), ::testing::HasSubstr("expected '#pragma scop' and '#pragma endscop'"));
  EXPECT_EQ(says("\n#pragma scop\nx = 1;"), "p.c:2: '#pragma scop' without '#pragma endscop'");
  EXPECT_EQ(says(scop("x = 1;") + scop("x = 1;")), "p.c:4: a second '#pragma scop'; a file has one program");
}

TEST(ProgramFile, DeepNestingEndsInAComplaint) {
  for (const char* const open : {"(", "-", "{", "f(", "if (i > 0) ", "x ? ", "A["}) {
    std::string body = open[0] == '{' || open[0] == 'i' ? "" : "x = ";
    for (int k = 0; k < 20'000; ++k) body += open;
    const Result<AffineProgram> program = parse_program(scop(body), "p.c");
    ASSERT_FALSE(program.ok());
    EXPECT_LE(program.errors().size(), 20);
  }
}

// Damaged copies of programs are read or refused, whatever they look like.
TEST(ProgramFile, DamagedTextsAreReadOrRefused) {
  TextMutator mutate(from_environment("HELIOLITE_FUZZ_SEED", 1));
  const std::string folder = std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench/";
  std::vector<std::string> texts;
  for (const char* name : {"cholesky", "nussinov", "jacobi-1d", "correlation"})
    texts.push_back(*read_text_file(folder + name + ".c"));
  std::size_t refused = 0;
  const std::uint64_t runs = from_environment("HELIOLITE_FUZZ_RUNS", 2000) / 8;
  for (std::uint64_t k = 0; k < runs; ++k) {
    const std::string& text = texts[k % texts.size()];
    const Result<AffineProgram> program = parse_program(mutate.damaged(text, texts[(k + 1) % texts.size()]), "p.c");
    if (program) continue;
    ++refused;
    for (const Diagnostic& d : program.errors()) EXPECT_FALSE(d.message.empty());
  }
  EXPECT_GT(refused, runs / 4);
  EXPECT_LT(refused, runs);
}

}  // namespace
}  // namespace heliolite::program_file_test
