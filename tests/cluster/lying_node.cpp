#include "cluster/lying_node.hpp"

#include <unistd.h>

#include <iostream>
#include <random>
#include <thread>

#include "actors/node/node_service.hpp"
#include "actors/transport/system.hpp"
#include "actors/transport/tls_transport.hpp"
#include "actors/worker/worker.hpp"
#include "support/join_driver.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {
namespace {

void lie_about(const std::string& what, Built& built) {
  if (what == "tensors") {
    built.tensor_names = {"weights"};
    built.tensor_shapes = {{std::int64_t{1} << 40}};
  }
  if (what != "failure" && what != "blame") return;
  const std::uint64_t round = built.round;
  built = {};
  built.round = round;
  if (what == "failure")
    built.failure = {static_cast<std::int32_t>(ErrorCode::model_failed), "\x1b[2Jno\nmodel", "", "", ""};
  else
    built.failure = {static_cast<std::int32_t>(ErrorCode::worker_lost), "he does not answer", "", "", "bob"};
}

caf::behavior lying_worker(caf::event_based_actor* self, const std::shared_ptr<Worker>& worker, const std::string& lie,
                           const caf::actor& driver) {
  after_receive();
  self->send(driver, ready_to_send(Join{kProtocolVersion, worker->index(), static_cast<std::int32_t>(::getpid())}));
  return {[=](const Build& request) {
    after_receive();
    worker->carry_out(request, [=, own = caf::actor_cast<caf::actor>(self)](Built built) {
      lie_about(lie, built);
      caf::send_as(own, driver, ready_to_send(std::move(built)));
    });
  }};
}

caf::behavior lying_node(caf::event_based_actor* self, ObjectStore* store, const std::shared_ptr<NodeService>& service,
                         const std::string& lie, const caf::actor& driver, const NodeJoin& join) {
  after_receive();
  self->send(driver, ready_to_send(join));
  return {[=](const StartWorker& request) {
    after_receive();
    auto worker = std::make_shared<Worker>(request.worker, store->connect(), CreateModel(), service);
    before_send();
    self->system().spawn<caf::detached>(lying_worker, std::move(worker), lie, driver);
  }};
}

}  // namespace

void run_liar(const std::string& lie, const std::string& join, const std::string& certs) {
  const Address address = Address::parse(join);
  const auto credentials = std::make_shared<const Credentials>(certs, Role::node);
  Hello hello = make_hello(Purpose::control);
  std::random_device random;
  for (std::byte& each : hello.token) each = static_cast<std::byte>(random());
  TlsStream control = join_driver(address, *credentials, hello);
  NodeJoin says;
  says.token.assign(reinterpret_cast<const char*>(hello.token.data()), hello.token.size());
  says.pid = ::getpid();
  says.cores = 1;
  says.host = lie == "host" ? "metadata.internal" : control.local_host();
  says.port = 1;
  ObjectStore store;
  const auto service = std::make_shared<NodeService>(store, credentials, address, 1);
  SystemConfig config(1, Reach::machines);
  caf::actor_system system(config);
  const auto link = std::make_shared<ControlLink>(control, [](const ControlLink&, const std::string&) {});
  const caf::actor driver = connect_tls(system, std::move(control), link, 10s);
  before_send();
  system.spawn<caf::detached>(lying_node, &store, service, lie, driver, says);
  caf::scoped_actor self(system);
  self->monitor(driver);
  self->receive([](const caf::down_msg&) {});
  ::_exit(0);
}

}  // namespace troupe_test
