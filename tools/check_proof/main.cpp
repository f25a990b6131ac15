// heliolite-check-proof: says whether a proof is one, in a line, and names the first line that is wrong.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "check_proof/proof.h"

namespace {

constexpr const char* kHelp =
    "Usage: heliolite-check-proof [--instance FILE] [--threads N] FILE\n"
    "       heliolite-check-proof --price FILE\n"
    "Checks a proof that no legal mapping of an instance is below a value. FILE: as `heliolite map --proof` writes "
    "it,\n"
    "plain or gzipped; - reads the standard input.\n"
    "  --instance FILE  the proof must be of exactly this instance, as `heliolite show --instance` prints it\n"
    "  --price FILE     prints the cost of a mapping: an instance, then the lines `mapping` and `m` of a proof\n"
    "  --threads N      checks with N threads, by default all; the answer is the same for any number\n"
    "  --help, --version\n"
    "Exit codes: 0 accepted, 1 rejected, 2 refused or a wrong command line.\n";

int usage(const char* what) {
  std::fprintf(stderr, "%s\n%s", what, kHelp);
  return 2;
}

int report(const std::string& file, const check_proof::Answer& answer, const char* accepted) {
  const char* verdict = answer.verdict == check_proof::Verdict::Accepted   ? accepted
                        : answer.verdict == check_proof::Verdict::Rejected ? "rejected: "
                                                                           : "refused: ";
  const std::string where = answer.line != 0 ? file + ":" + std::to_string(answer.line) + ": "
                            : answer.verdict == check_proof::Verdict::Accepted ? ""
                                                                               : file + ": ";
  std::printf("%s%s%s\n", verdict, where.c_str(), answer.what.c_str());
  return static_cast<int>(answer.verdict);
}

int run(const std::vector<std::string>& arguments) {
  std::string file, instance;
  bool is_priced = false;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& a = arguments[k];
    if (a == "--help") return std::printf("%s", kHelp) < 0 ? 2 : 0;
    if (a == "--version") return std::printf("heliolite-check-proof, proofs of version 1\n") < 0 ? 2 : 0;
    if (a == "--instance" || a == "--price" || a == "--threads") {
      if (++k == arguments.size()) return usage(("a value expected behind " + a).c_str());
      if (a == "--instance") instance = arguments[k];
      if (a == "--price") file = arguments[k], is_priced = true;
      if (a != "--threads") continue;
      const auto count = check_proof::read_u64(arguments[k]);
      if (!count || *count == 0 || *count > 1024) return usage("1 to 1024 threads expected");
      threads = static_cast<int>(*count);
    } else if (!file.empty() || (a.size() > 1 && a[0] == '-')) {
      return usage(("unknown argument " + a).c_str());
    } else {
      file = a;
    }
  }
  if (file.empty()) return usage("a file expected");
  const auto read = [](const std::string& path, std::string& text) -> check_proof::Answer {
    try {
      text = check_proof::read_file(path);
      return {check_proof::Verdict::Accepted, 0, ""};
    } catch (const check_proof::Wrong& w) {
      return {check_proof::Verdict::Refused, 0, w.what};
    } catch (const std::exception&) {
      return {check_proof::Verdict::Refused, 0, "there is not enough memory"};
    }
  };
  std::string text, expected;
  if (const auto bad = read(file, text); bad.verdict != check_proof::Verdict::Accepted) return report(file, bad, "");
  if (is_priced) return report(file, check_proof::price(text), "priced: ");
  if (!instance.empty()) {
    if (const auto bad = read(instance, expected); bad.verdict != check_proof::Verdict::Accepted)
      return report(instance, bad, "");
    if (!check_proof::is_of_instance(text, expected))
      return report(file, {check_proof::Verdict::Rejected, 0, "a proof of the instance " + instance + " expected"}, "");
  }
  return report(file, check_proof::check(text, threads), "accepted: ");
}

}  // namespace

int main(int count, char** values) { return run({values + (count > 0 ? 1 : 0), values + count}); }
