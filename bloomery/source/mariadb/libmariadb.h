// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mysql.h>

#include <mariadb_rpl.h>  // which needs mysql.h before it

#include "bloomery/bits/late_library.h"

// libmariadb, loaded when a database is first asked. What is not listed here does not link.
namespace bloomery::mariadb {

inline constinit const LateLibrary kLibmariadb{"libmariadb.so.3", "libmariadb3",
                                               "MariaDB or MySQL"};

#define BLOOMERY_LATE(name)                                    \
  inline constinit const LateFunction<decltype(::name)> name { \
    kLibmariadb, #name                                         \
  }
BLOOMERY_LATE(mariadb_connection);
BLOOMERY_LATE(mariadb_rpl_close);
BLOOMERY_LATE(mariadb_rpl_init_ex);
BLOOMERY_LATE(mariadb_rpl_open);
BLOOMERY_LATE(mariadb_rpl_optionsv);
BLOOMERY_LATE(mysql_close);
BLOOMERY_LATE(mysql_errno);
BLOOMERY_LATE(mysql_error);
BLOOMERY_LATE(mysql_fetch_fields);
BLOOMERY_LATE(mysql_fetch_lengths);
BLOOMERY_LATE(mysql_fetch_row);
BLOOMERY_LATE(mysql_fetch_row_cont);
BLOOMERY_LATE(mysql_fetch_row_start);
BLOOMERY_LATE(mysql_field_count);
BLOOMERY_LATE(mysql_free_result);
BLOOMERY_LATE(mysql_get_optionv);
BLOOMERY_LATE(mysql_get_server_info);
BLOOMERY_LATE(mysql_get_server_version);
BLOOMERY_LATE(mysql_get_socket);
BLOOMERY_LATE(mysql_init);
BLOOMERY_LATE(mysql_net_read_packet);
BLOOMERY_LATE(mysql_num_fields);
BLOOMERY_LATE(mysql_options);
BLOOMERY_LATE(mysql_real_connect_cont);
BLOOMERY_LATE(mysql_real_connect_start);
BLOOMERY_LATE(mysql_real_escape_string);
BLOOMERY_LATE(mysql_real_query_cont);
BLOOMERY_LATE(mysql_real_query_start);
BLOOMERY_LATE(mysql_stmt_close);
BLOOMERY_LATE(mysql_stmt_error);
BLOOMERY_LATE(mysql_stmt_field_count);
BLOOMERY_LATE(mysql_stmt_init);
BLOOMERY_LATE(mysql_stmt_param_count);
BLOOMERY_LATE(mysql_stmt_prepare_cont);
BLOOMERY_LATE(mysql_stmt_prepare_start);
BLOOMERY_LATE(mysql_store_result_cont);
BLOOMERY_LATE(mysql_store_result_start);
BLOOMERY_LATE(mysql_use_result);
#undef BLOOMERY_LATE

}  // namespace bloomery::mariadb
