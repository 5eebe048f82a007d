// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libpq-fe.h>

#include "bloomery/bits/late_library.h"

// libpq, loaded when a database is first asked. What is not listed here does not link.
namespace bloomery::postgres {

inline constinit const LateLibrary kLibpq{"libpq.so.5", "libpq5", "PostgreSQL"};

#define BLOOMERY_LATE(name)                                    \
  inline constinit const LateFunction<decltype(::name)> name { \
    kLibpq, #name                                              \
  }
BLOOMERY_LATE(PQclear);
BLOOMERY_LATE(PQconnectPoll);
BLOOMERY_LATE(PQconnectStartParams);
BLOOMERY_LATE(PQconninfo);
BLOOMERY_LATE(PQconninfoFree);
BLOOMERY_LATE(PQconsumeInput);
BLOOMERY_LATE(PQerrorMessage);
BLOOMERY_LATE(PQfinish);
BLOOMERY_LATE(PQflush);
BLOOMERY_LATE(PQfreemem);
BLOOMERY_LATE(PQftype);
BLOOMERY_LATE(PQgetCopyData);
BLOOMERY_LATE(PQgetResult);
BLOOMERY_LATE(PQgetisnull);
BLOOMERY_LATE(PQgetlength);
BLOOMERY_LATE(PQgetvalue);
BLOOMERY_LATE(PQisBusy);
BLOOMERY_LATE(PQnfields);
BLOOMERY_LATE(PQnparams);
BLOOMERY_LATE(PQntuples);
BLOOMERY_LATE(PQparameterStatus);
BLOOMERY_LATE(PQputCopyData);
BLOOMERY_LATE(PQresultErrorField);
BLOOMERY_LATE(PQresultErrorMessage);
BLOOMERY_LATE(PQresultStatus);
BLOOMERY_LATE(PQsendDescribePrepared);
BLOOMERY_LATE(PQsendPrepare);
BLOOMERY_LATE(PQsendQuery);
BLOOMERY_LATE(PQsendQueryParams);
BLOOMERY_LATE(PQsendQueryPrepared);
BLOOMERY_LATE(PQserverVersion);
BLOOMERY_LATE(PQsetNoticeProcessor);
BLOOMERY_LATE(PQsetnonblocking);
BLOOMERY_LATE(PQsocket);
BLOOMERY_LATE(PQstatus);
#undef BLOOMERY_LATE

}  // namespace bloomery::postgres
