#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

#include "cuda/double/double.hpp"
#include "gpu/device_models.hpp"
#include "gpu/small_matrix.hpp"
#include "support/patience.hpp"
#include "troupe/sgd.hpp"

namespace {

bool has_complaints = false;

/// Makes the program fail if the double has complaints, except in the double's own tests, which provoke them.
class Complaints final : public doctest::IReporter {
 public:
  explicit Complaints(const doctest::ContextOptions& /*options*/) {}

  void test_case_start(const doctest::TestCaseData& at) override {
    name_ = at.m_name;
    ends_runs_ = std::strstr(at.m_file.c_str(), "test_device_runs") != nullptr;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {
    if (std::strncmp(name_, "double:", std::strlen("double:")) == 0) return troupe::cuda_double::reset({});
    // These tests do not check the double themselves, because they also run on a GPU.
    if (ends_runs_ && !troupe_test::comes_true([] { return troupe::cuda_double::usage().pinned_ranges == 0; })) {
      std::printf("%s: leaves pages locked\n", name_);
      has_complaints = true;
    }
    troupe::cuda_double::check_canaries();
    for (const std::string& complaint : troupe::cuda_double::complaints()) {
      std::printf("%s: CUDA: %s\n", name_, complaint.c_str());
      has_complaints = true;
    }
  }
  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*at*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*at*/) override {}

 private:
  const char* name_ = "";
  bool ends_runs_ = false;
};

REGISTER_LISTENER("complaints", 1, Complaints);

}  // namespace

// Worker processes run this program, too.
int main(int argc, char** argv) {
  troupe_test::take_unfolded(argc, argv);
  troupe_test::register_device_models();
  troupe::init(1, argv);  // as after a parser that removed its own options
  const int status = doctest::Context(argc, argv).run();
  return status == 0 && has_complaints ? 1 : status;
}
