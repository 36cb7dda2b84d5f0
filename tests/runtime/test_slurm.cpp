#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "runtime/processes/slurm.hpp"
#include "support/errors.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

/// Returns the environment of the third of four tasks, as srun sets it.
std::map<std::string, std::string> environment() {
  return {{"SLURM_JOB_ID", "1234567"},          {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"},
          {"SLURM_STEP_NUM_TASKS", "4"},        {"SLURM_NTASKS", "9"},  {"SLURM_STEP_NODELIST", "node[03-04]"},
          {"SLURM_JOB_NODELIST", "node[01-04]"}};
}

std::map<std::string, std::string> environment_with(const std::string& name, const std::string& value) {
  auto changed = environment();
  changed[name] = value;
  return changed;
}

}  // namespace

TEST_CASE("the first host of a Slurm host list is expanded") {
  CHECK(first_slurm_host("node[1-3,07],other") == "node1");
  CHECK(first_slurm_host("node[007-12]") == "node007");
  CHECK(first_slurm_host("node[07]") == "node07");
  CHECK(first_slurm_host("other,node[1-3]") == "other");
  CHECK(first_slurm_host("login-2.example.org") == "login-2.example.org");
  CHECK(first_slurm_host("rack[0-1]node[4-9]-ib,x") == "rack0node4-ib");
  CHECK(first_slurm_host("[3-4]a") == "3a");
}

TEST_CASE("invalid host lists are refused") {
  for (const char* list : {"", ",", "a,", ",a", "a,,b", "node[", "node[]", "node[1", "node[1-", "node[1-]", "node[-1]",
                           "node[1,]", "node[a]", "node[1-3]]", "node]", "a b", "a;b", "node[1-3],b[", "node[1-2-3]"}) {
    CAPTURE(list);
    CHECK(code_of([&] { first_slurm_host(list); }) == ErrorCode::invalid_argument);
  }
}

TEST_CASE("a task of srun finds its leader, and the variables of the step override those of the job") {
  const auto task = find_slurm_task(environment());
  REQUIRE(task);
  CHECK(*task == SlurmTask{.rank = 2, .tasks = 4, .leader = "node03", .port = 24567});
  auto job_only = environment();
  job_only.erase("SLURM_STEP_NODELIST");
  job_only.erase("SLURM_STEP_NUM_TASKS");
  CHECK(*find_slurm_task(job_only) == SlurmTask{.rank = 2, .tasks = 9, .leader = "node01", .port = 24567});
}

TEST_CASE("all tasks of a job use the same port between 20000 and 29999") {
  CHECK(find_slurm_task(environment_with("SLURM_JOB_ID", "0"))->port == 20000);
  CHECK(find_slurm_task(environment_with("SLURM_JOB_ID", "9999"))->port == 29999);
  CHECK(find_slurm_task(environment_with("SLURM_JOB_ID", "10000"))->port == 20000);
  CHECK(find_slurm_task(environment_with("SLURM_JOB_ID", "4294967295"))->port == 27295);
}

TEST_CASE("outside srun there is no task") {
  CHECK_FALSE(find_slurm_task({}));
  CHECK_FALSE(find_slurm_task(environment_with("SLURM_STEP_ID", "4294967291")));  // the script of sbatch
  CHECK_FALSE(find_slurm_task(environment_with("SLURM_STEP_ID", "4294967290")));  // the shell of salloc
  auto script = environment();
  script.erase("SLURM_STEP_ID");
  CHECK_FALSE(find_slurm_task(script));
}

TEST_CASE("an incomplete environment is an error that names the missing variable") {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_PROCID"}) {
    auto half = environment();
    half.erase(name);
    CHECK(code_of([&] { find_slurm_task(half); }) == ErrorCode::invalid_argument);
    CHECK(message_of([&] { find_slurm_task(half); }).find(name) != std::string::npos);
  }
  auto nowhere = environment();
  nowhere.erase("SLURM_STEP_NODELIST");
  nowhere.erase("SLURM_JOB_NODELIST");
  CHECK(message_of([&] { find_slurm_task(nowhere); }).find("SLURM_STEP_NODELIST") != std::string::npos);
}

TEST_CASE("invalid values are refused") {
  for (const auto& [name, value] :
       std::multimap<std::string, std::string>{{"SLURM_PROCID", "4"},
                                               {"SLURM_PROCID", "-1"},
                                               {"SLURM_STEP_NUM_TASKS", "0"},
                                               {"SLURM_STEP_NUM_TASKS", "99999999999999999999"},
                                               {"SLURM_STEP_ID", "batch"},
                                               {"SLURM_JOB_ID", "12a"},
                                               {"SLURM_JOB_ID", ""},
                                               {"SLURM_STEP_NODELIST", "node["}}) {
    CAPTURE(name);
    CHECK(code_of([&] { find_slurm_task(environment_with(name, value)); }) == ErrorCode::invalid_argument);
  }
}

TEST_CASE("only Slurm's own variables are read from the environment") {
  REQUIRE(::setenv("SLURM_TROUPE_TEST", "a=b", 1) == 0);
  const auto found = slurm_environment();
  CHECK(found.at("SLURM_TROUPE_TEST") == "a=b");
  CHECK_FALSE(found.contains("PATH"));
  ::unsetenv("SLURM_TROUPE_TEST");
}
