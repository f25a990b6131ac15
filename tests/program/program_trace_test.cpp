// Programs that are executed: their order, and the last writer of each word held against the dataflow.
#include "tests/support/affine_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "engine/program/affine_program.h"
#include "engine/program/instance_walk.h"
#include "tests/support/affine_dataflow.h"
#include "tests/support/text_mutation.h"

namespace heliolite::program_trace_test {
namespace {

AffineProgram parsed(const std::string& body) {
  Result<AffineProgram> program = parse_program("#pragma scop\n" + body + "\n#pragma endscop\n", "p.c");
  EXPECT_TRUE(program.ok()) << (program ? "" : to_string(program.errors()));
  return std::move(program).value();
}

std::string order_of(const AffineProgram& program, const ParameterValues& values,
                     const std::optional<isl::union_map>& order = {}) {
  std::string text;
  const Result<u64> count = walk_instances(
      program, values,
      [&](int s, std::span<const i64> at) { text += fmt::format("{}({}) ", s, fmt::join(at.begin(), at.end(), ",")); },
      order);
  EXPECT_TRUE(count.ok());
  return text;
}

TEST(ProgramTrace, InstancesRunInTheOrderOfTheText) {
  const AffineProgram p = parsed(
      "for (i = N - 1; i >= 0; i--) {\n"
      "  for (j = i; j < N; j += 2) a[i] = b[j];\n"
      "  if (i == 1) c = 0;\n"
      "}\n"
      "d = 1;");
  EXPECT_EQ(order_of(p, {{"N", 3}}), "0(2,2) 0(1,1) 1(1) 0(0,0) 0(0,2) 2() ");
  const isl::union_map swapped(p.context.get(),
                               "[N] -> { S0[i, j] -> [j, i] : 0 <= i <= j < N and (j - i) mod 2 = 0 }");
  EXPECT_EQ(order_of(p, {{"N", 3}}, swapped), "0(0,0) 0(1,1) 0(0,2) 0(2,2) ");
}

TEST(ProgramTrace, TouchesEveryWord) {
  const AffineProgram p = parsed("for (i = 0; i < N; i++) s += A[N - 1 - i][2 * i];");
  const Result<ProgramTrace> t = trace(p, {{"N", 2}});
  ASSERT_TRUE(t.ok());
  ASSERT_EQ(t->steps.size(), 2);
  EXPECT_EQ(t->words.size(), 3);  // s, A[1][0], A[0][2]
  EXPECT_EQ(t->steps[1].reads, (std::vector<u32>{0, 2}));
  EXPECT_EQ(t->steps[1].write, 0);
  EXPECT_EQ(t->words[2].subscripts, (std::vector<i64>{0, 2}));
}

TEST(ProgramTrace, ComplainsAboutMissingValuesAndTooManyInstances) {
  const AffineProgram p = parsed("for (i = 0; i < N; i++) s += A[i];");
  EXPECT_EQ(trace(p, {}).errors()[0].to_string(), "p.c: N: the parameter has no value");
  EXPECT_EQ(trace(p, {{"N", 11}}, {}, 10).errors()[0].message, "more than 10 instances");
}

// (reading instance, array, writing instance or element of the input) as texts.
using Uses = std::set<std::string>;

// Who wrote last what each instance reads.
Uses executed(const AffineProgram& program, const ParameterValues& values) {
  const Result<ProgramTrace> t = trace(program, values);
  EXPECT_TRUE(t.ok());
  std::map<u32, std::string> writer;
  Uses uses;
  for (const TraceStep& step : t->steps) {
    const std::string own = fmt::format("S{}[{}]", step.statement, fmt::join(step.at, ", "));
    for (const u32 word : step.reads) {
      const TraceWord& w = t->words[word];
      const std::string& array = program.arrays[static_cast<std::size_t>(w.array)].name;
      const auto last = writer.find(word);
      uses.insert(own + " reads " + array + " of " +
                  (last != writer.end() ? last->second : fmt::format("{}[{}]", array, fmt::join(w.subscripts, ", "))));
    }
    writer[step.write] = own;
  }
  return uses;
}

std::string text_of(const isl::set& domain, const isl::point& p) {
  std::string text;
  for (int d = 0; d < isl_set_dim(domain.get(), isl_dim_set); ++d)
    text += (d > 0 ? ", " : "") +
            std::to_string(isl::manage(isl_point_get_coordinate_val(p.get(), isl_dim_set, d)).num_si());
  return "[" + text + "]";
}

// The same by the dataflow.
Uses analysed(const AffineProgram& program, const ParameterValues& values) {
  const Result<DataflowGraph> graph = dataflow(program);
  EXPECT_TRUE(graph.ok());
  Uses uses;
  for (const DataflowEdge& e : graph->edges) {
    if (e.kind == EdgeKind::broadcast) continue;
    isl::map relation = e.relation;
    for (const auto& [name, value] : values) {
      const int place = isl_map_find_dim_by_name(relation.get(), isl_dim_param, name.c_str());
      relation = isl::manage(
          isl_map_fix_si(relation.release(), isl_dim_param, static_cast<unsigned>(place), static_cast<int>(value)));
    }
    relation = relation.project_out_all_params();
    const std::string source = graph->nodes[static_cast<std::size_t>(e.source)].name;
    const std::string target = graph->nodes[static_cast<std::size_t>(e.target)].name;
    relation.range().foreach_point([&](const isl::point& reader) {
      const isl::set from = isl::set(reader).apply(relation.reverse());
      from.foreach_point([&](const isl::point& writer) {
        uses.insert(target + text_of(relation.range(), reader) + " reads " +
                    program.arrays[static_cast<std::size_t>(e.array)].name + " of " + source + text_of(from, writer));
      });
    });
  }
  return uses;
}

TEST(ProgramTrace, DataflowIsTheLastWriter) {
  for (const char* name : {"cholesky", "nussinov", "jacobi-1d", "floyd-warshall", "durbin"}) {
    const Result<AffineProgram> p =
        load_program(std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench/" + name + ".c");
    ASSERT_TRUE(p.ok());
    ParameterValues values;
    for (const std::string& parameter : p->parameters) values[parameter] = 4 - static_cast<int>(values.size() % 2);
    EXPECT_EQ(executed(*p, values), analysed(*p, values)) << name;
  }
}

// Programs at random: what is drawn is the same for every compiler.
class RandomProgram {
 public:
  explicit RandomProgram(u64 seed) : random_(seed) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<u64>(limit)); }

  std::string text() {
    std::string body = "for (i = 0; i < N; i++) {\n" + statement({"i"});
    body += below(2) == 0 ? "for (j = i; j < N; j += 2) {\n" : "for (j = N; j > i - 1; j--) if (i + j != 3) {\n";
    for (int k = 0; k < 2; ++k) body += statement({"i", "j"});
    return body + "}\n" + statement({"i"}) + "}\n";
  }

 private:
  std::string subscript(const std::vector<std::string>& loops) {
    std::string text = std::to_string(below(3) - 1);
    for (const std::string& l : loops) text += fmt::format(" + {} * {}", below(4) - 1, l);
    // Of quotients and remainders what is divided is not negative: loops of these programs begin at 0 or above.
    if (below(3) == 0)
      text += fmt::format(" + ({} + {}) {} {}", loops.front(), below(3), below(2) == 0 ? '%' : '/', 2 + below(2));
    return text;
  }
  std::string element(const std::vector<std::string>& loops) {
    if (below(3) == 0) return "s";
    const std::string first = "[" + subscript(loops) + "]";
    return below(2) == 0 ? "A" + first : "B" + first + "[" + subscript(loops) + "]";
  }
  std::string statement(const std::vector<std::string>& loops) {
    const std::string target = element(loops) + (below(2) == 0 ? " = " : " += ");
    const std::string factor = element(loops);
    return target + factor + " * " + element(loops) + ";\n";
  }

  std::mt19937_64 random_;
};

TEST(ProgramTrace, DataflowOfRandomProgramsIsTheLastWriter) {
  const u64 runs = from_environment("HELIOLITE_FUZZ_RUNS", 2000) / 200;
  const u64 seed = from_environment("HELIOLITE_FUZZ_SEED", 1);
  for (u64 k = 0; k < runs; ++k) {
    RandomProgram random(seed * 1000 + k);
    const std::string body = random.text();
    const AffineProgram p = parsed(body);
    const ParameterValues values{{"N", 1 + random.below(4)}};
    EXPECT_EQ(executed(p, values), analysed(p, values)) << body;
  }
}

}  // namespace
}  // namespace heliolite::program_trace_test
